package io.github.digitalbankingsim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIfEnvironmentVariable;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

class SimulatorTest {
    private static final String PROGRAM = System.getenv().getOrDefault("BANKSIM", "banksim");

    /** Returns the name of a script that a shell runs in place of the program. */
    private static String script(Path folder, String text) throws IOException {
        var file = Files.writeString(folder.resolve("program"), "#!/bin/sh\n" + text + "\n");
        assertTrue(file.toFile().setExecutable(true));
        return file.toString();
    }

    private static String failure(Map<String, String> environment) {
        return assertThrows(BankException.class, () -> Simulator.of(environment, null)).getMessage();
    }

    /** A control API that gives one answer, and keeps the requests. */
    private static final class FakeControl implements AutoCloseable {
        final List<HttpExchange> requests = new ArrayList<>();
        private final HttpServer server =
                HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);

        FakeControl(int status, String type, String answer) throws IOException {
            server.createContext("/", exchange -> {
                requests.add(exchange);
                exchange.getResponseHeaders().set("Content-Type", type);
                exchange.sendResponseHeaders(status, answer.length());
                exchange.getResponseBody().write(answer.getBytes());
                exchange.close();
            });
            server.start();
        }

        String address() {
            return "127.0.0.1:" + server.getAddress().getPort();
        }

        Simulator simulator(String token) {
            return Simulator.of(Map.of("BANKSIM_CONTROL", address(), "BANKSIM_CONTROL_TOKEN", token), null);
        }

        @Override
        public void close() {
            server.stop(0);
        }
    }

    @Test
    void aWarningIsNoFailedStart(@TempDir Path folder) throws Exception {
        var program = script(folder, "echo a warning >&2\nexec \"" + PROGRAM + "\" \"$@\"");
        assertTrue(Simulator.of(Map.of("BANKSIM", program), null).call("GET", "/v1/info", null).has("version"));
    }

    @Test
    void theProgramGetsTheTokenAndNoOtherOption(@TempDir Path folder) throws Exception {
        var program = script(folder, "env | grep BANKSIM_\nexit 3");
        assertEquals("banksim didn't start: it has ended with exit code 3\n\tBANKSIM_CONTROL_TOKEN=secret",
                failure(Map.of("BANKSIM", program, "BANKSIM_CONTROL_TOKEN", "secret")));
    }

    @Test
    void aProgramThatEnds(@TempDir Path folder) throws Exception {
        var lines = "for i in 1 2 3 4 5 6 7 8 9 10 11 12; do echo line $i >&2; done\nexit 3";
        assertEquals("banksim didn't start: it has ended with exit code 3\n\t"
                + IntStream.rangeClosed(3, 12).mapToObj(i -> "line " + i).collect(Collectors.joining("\n\t")),
                failure(Map.of("BANKSIM", script(folder, lines))));
        assertEquals("banksim didn't start: it has ended with exit code 80: the program is older than the kit: build "
                + "it anew\n\tbanksim: unknown flag --nope\n\tTry 'banksim serve --help'.",
                failure(Map.of("BANKSIM", script(folder, """
                        echo "banksim: unknown flag --nope" >&2
                        echo "Try 'banksim serve --help'." >&2
                        exit 80"""))));
        assertEquals("banksim didn't start: /bin/true ended at once: is it banksim?",
                failure(Map.of("BANKSIM", "/bin/true")));
    }

    @Test
    void aProgramThatIsNotReady(@TempDir Path folder) throws Exception {
        var program = script(folder, "echo still waiting\nexec sleep 60");
        var variables = Map.of("BANKSIM", program, "BANKSIM_START_TIMEOUT", "0.2s");
        assertEquals("banksim didn't start: it isn't ready after 0.2s (see startTimeout and BANKSIM_START_TIMEOUT)\n"
                + "\tstill waiting", failure(variables));
        var failed = assertThrows(BankException.class, () -> Simulator.of(variables, Duration.ofMillis(300)));
        assertTrue(failed.getMessage().contains("after 0.3s"), failed.getMessage());
        assertEquals("BANKSIM_START_TIMEOUT is \"soon\", not a duration such as 90s",
                failure(Map.of("BANKSIM_START_TIMEOUT", "soon")));
    }

    @Test
    void aProgramThatIsNotThere() {
        var text = failure(Map.of("BANKSIM", "/nowhere/banksim"));
        assertTrue(text.contains(": put it on the PATH, or name it in the variable BANKSIM"), text);
    }

    @Test
    void aUrlThatIsNone() {
        assertEquals("BANKSIM_CONTROL is no URL such as http://127.0.0.1:8081: \"http://:8081\"",
                failure(Map.of("BANKSIM_CONTROL", "http://:8081")));
    }

    @Test
    void aSimulatorThatDied(@TempDir Path folder) throws Exception {
        var program = script(folder, "echo $$ >$0.pid\necho a warning >&2\nexec \"" + PROGRAM + "\" \"$@\"");
        var simulator = Simulator.of(Map.of("BANKSIM", program), null);
        assertFalse(simulator.hasEnded());
        var bank = Bank.with().start(simulator);
        var pid = Files.readString(folder.resolve("program.pid")).strip();
        ProcessHandle.of(Long.parseLong(pid)).orElseThrow().destroyForcibly();
        for (var call : List.<Executable>of(bank::state, bank::close)) {
            assertEquals("the simulator ended (signal 9)\n\ta warning",
                    assertThrows(BankException.class, call).getMessage());
        }
        bank.discard();
        assertTrue(simulator.hasEnded()); // so the next bank starts another one
    }

    @Test
    void aProxyIsNotUsed() throws Exception {
        var runner = Runner.start(Runner.command("wait", "-Dhttp.proxyHost=127.0.0.1", "-Dhttp.proxyPort=1",
                "-Dhttp.nonProxyHosts="));
        assertTrue(firstLine(runner).contains("/sandboxes/"));
        runner.destroyForcibly().waitFor();
    }

    @Test
    void anInterruptIsKept() {
        var bank = Bank.start();
        Thread.currentThread().interrupt();
        var failed = assertThrows(BankException.class, bank::state).getMessage();
        assertTrue(Thread.interrupted());
        assertEquals("the thread was interrupted while it waited for the simulator", failed);
        bank.close();
    }

    @Test
    void aTokenIsSentIfThereIsOne() throws Exception {
        try (var control = new FakeControl(200, "application/json", "{}")) {
            control.simulator("").call("GET", "/v1/info", null);
            control.simulator("secret").call("GET", "/v1/info", null);
            assertNull(control.requests.get(0).getRequestHeaders().getFirst("Authorization"));
            assertEquals("Bearer secret", control.requests.get(1).getRequestHeaders().getFirst("Authorization"));
        }
    }

    @Test
    void refusals() throws Exception {
        var problems = """
                {"title": "t", "status": 422, "detail": "2 problems", "later": true, "problems": [
                 {"file": "faults", "line": 1, "column": 2, "message": "first"},
                 {"file": "scenario.yaml", "line": 3, "column": 4, "message": "second"}]}""";
        for (var answer : List.of(
                List.of(422, "application/problem+json", problems, "2 problems\n\tfirst\n\tscenario.yaml:3:4: second"),
                List.of(401, "application/problem+json", problems, "another control token: set BANKSIM_CONTROL_TOKEN"),
                List.of(404, "text/plain", "no", " answers 404, and not as a control API does: check BANKSIM_C"))) {
            try (var control = new FakeControl((int) answer.get(0), (String) answer.get(1), (String) answer.get(2))) {
                var simulator = control.simulator("");
                var refusal = assertThrows(BankException.class, () -> simulator.call("GET", "/v1/info", null));
                assertTrue(refusal.getMessage().contains((String) answer.get(3)), refusal.getMessage());
                assertEquals(answer.get(0), refusal.status());
            }
        }
        var control = new FakeControl(200, "", "");
        control.close();
        var gone = control.simulator("");
        var failed = assertThrows(BankException.class, () -> gone.call("GET", "/v1/info", null)).getMessage();
        assertTrue(failed.startsWith("the simulator at http://" + control.address() + " doesn't answer: "), failed);
    }

    @Test
    void aServiceBesideTheControlApi() throws Exception {
        var sandbox = """
                {"name": "s-1", "baseUrl": "http://inner/sandboxes/s-1", "httpsUrl": "https://inner"}""";
        try (var control = new FakeControl(201, "application/json", sandbox)) {
            var variables = Map.of("BANKSIM_CONTROL", control.address(), "BANKSIM_SERVICE", "bank.test:80/");
            var bank = Bank.with().start(Simulator.of(variables, null));
            assertEquals("http://bank.test:80/sandboxes/s-1", bank.baseUrl());
            assertTrue(bank.httpsUrl().isEmpty());
            assertEquals("http://inner/sandboxes/s-1", Bank.with().start(control.simulator("")).baseUrl());
        }
    }

    @Test
    void aBankLivesOnWhileItIsUsed() {
        try (var bank = Bank.with().seed(7).start()) {
            var expires = expiry(bank);
            assertTrue(expires.isAfter(Instant.now().plus(Duration.ofMinutes(55))));
            assertEquals(expires, expiry(bank));
            bank.renewedAt -= Duration.ofMinutes(10).toNanos();
            var renewed = expiry(bank);
            assertTrue(renewed.isAfter(expires));
            assertEquals(renewed, expiry(bank));
        }
    }

    private static Instant expiry(Bank bank) {
        return Instant.parse(bank.call("GET", "").get("expiresAt").asText());
    }

    @Test
    void otherRunnersThanJUnit() throws Exception {
        assertEquals("java.lang.AssertionError", firstLine(Runner.start(Runner.command("verify"))));
    }

    private static String firstLine(Process runner) throws IOException {
        var line = new BufferedReader(new InputStreamReader(runner.getInputStream())).readLine();
        return Objects.requireNonNull(line, "the process ended without a line");
    }

    @Test
    @DisabledIfEnvironmentVariable(named = "BANKSIM_CONTROL", matches = ".+", disabledReason = "it runs already")
    void theSimulatorEndsWithAProcessThatIsKilled() throws Exception {
        var runner = Runner.start(Runner.command("wait"));
        var request = HttpRequest.newBuilder(URI.create(firstLine(runner))).timeout(Duration.ofSeconds(10)).build();
        App.HTTP.send(request, BodyHandlers.discarding());
        runner.destroyForcibly().waitFor();
        var end = Instant.now().plusSeconds(30);
        assertThrows(IOException.class, () -> {
            while (Instant.now().isBefore(end)) App.HTTP.send(request, BodyHandlers.discarding());
        });
    }
}
