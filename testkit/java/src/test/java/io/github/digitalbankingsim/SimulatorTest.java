package io.github.digitalbankingsim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.BufferedReader;
import java.io.File;
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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIfEnvironmentVariable;
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
        return assertThrows(BankException.class, () -> Simulator.of(environment)).getMessage();
    }

    /** A control API that gives one answer, and keeps the requests. */
    private static final class Control implements AutoCloseable {
        final List<HttpExchange> requests = new ArrayList<>();
        private final HttpServer server =
                HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);

        Control(int status, String type, String answer) throws IOException {
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
            return Simulator.of(Map.of("BANKSIM_CONTROL", address(), "BANKSIM_CONTROL_TOKEN", token));
        }

        @Override
        public void close() {
            server.stop(0);
        }
    }

    @Test
    void aWarningIsNoFailedStart(@TempDir Path folder) throws Exception {
        var program = script(folder, "echo a warning >&2\nexec \"" + PROGRAM + "\" \"$@\"");
        assertTrue(Simulator.of(Map.of("BANKSIM", program)).call("GET", "/v1/info", null).has("version"));
    }

    @Test
    void theProgramGetsTheTokenAndNoOtherOption(@TempDir Path folder) throws Exception {
        var program = script(folder, "env | grep BANKSIM_\nexit 3");
        assertEquals("banksim didn't start: it ended with exit code 3: BANKSIM_CONTROL_TOKEN=secret",
                failure(Map.of("BANKSIM", program, "BANKSIM_CONTROL_TOKEN", "secret")));
    }

    @Test
    void aProgramThatEnds(@TempDir Path folder) throws Exception {
        assertEquals("banksim didn't start: it ended with exit code 3: the disk is full",
                failure(Map.of("BANKSIM", script(folder, "echo the disk is full >&2\nexit 3"))));
    }

    @Test
    void aProgramThatIsNotReady(@TempDir Path folder) throws Exception {
        var program = script(folder, "echo still waiting\nexec sleep 60");
        assertEquals("banksim didn't start within 0.2s (BANKSIM_START_TIMEOUT sets another limit): still waiting",
                failure(Map.of("BANKSIM", program, "BANKSIM_START_TIMEOUT", "0.2s")));
        assertEquals("BANKSIM_START_TIMEOUT is \"soon\", not a duration such as 90s",
                failure(Map.of("BANKSIM_START_TIMEOUT", "soon")));
    }

    @Test
    void aProgramThatIsNotThere() {
        var text = failure(Map.of("BANKSIM", "/nowhere/banksim"));
        assertTrue(text.contains("put banksim on the PATH, or name it in the variable BANKSIM"), text);
    }

    @Test
    void aProxyIsNotUsed() throws Exception {
        var runner = runner("-Dhttp.proxyHost=127.0.0.1", "-Dhttp.proxyPort=1", "-Dhttp.nonProxyHosts=");
        assertTrue(baseUrl(runner).contains("/sandboxes/"));
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
        try (var control = new Control(200, "application/json", "{}")) {
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
                 {"file": "faults", "line": 1, "column": 2, "message": "first"}, {"message": "second"}]}""";
        for (var answer : List.of(
                List.of(422, "application/problem+json", problems, "2 problems\n\tfaults:1:2: first\n\tsecond"),
                List.of(401, "application/problem+json", problems, "give BANKSIM_CONTROL_TOKEN the one"),
                List.of(404, "text/plain", "no", "does BANKSIM_CONTROL name the address of the bank instead?"))) {
            try (var control = new Control((int) answer.get(0), (String) answer.get(1), (String) answer.get(2))) {
                var simulator = control.simulator("");
                var refusal = assertThrows(BankException.class, () -> simulator.call("GET", "/v1/info", null));
                assertTrue(refusal.getMessage().contains((String) answer.get(3)), refusal.getMessage());
                assertEquals(answer.get(0), refusal.status());
            }
        }
        var control = new Control(200, "", "");
        control.close();
        var gone = control.simulator("");
        var failed = assertThrows(BankException.class, () -> gone.call("GET", "/v1/info", null)).getMessage();
        assertTrue(failed.startsWith("no simulator answers at http://" + control.address()), failed);
    }

    @Test
    void aServiceBesideTheControlApi() throws Exception {
        var sandbox = """
                {"name": "s-1", "baseUrl": "http://inner/sandboxes/s-1", "httpsUrl": "https://inner"}""";
        try (var control = new Control(201, "application/json", sandbox)) {
            var variables = Map.of("BANKSIM_CONTROL", control.address(), "BANKSIM_SERVICE", "bank.test:80/");
            var bank = new Bank(Simulator.of(variables), Bank.with());
            assertEquals("http://bank.test:80/sandboxes/s-1", bank.baseUrl());
            assertTrue(bank.httpsUrl().isEmpty());
            assertEquals("http://inner/sandboxes/s-1", new Bank(control.simulator(""), Bank.with()).baseUrl());
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

    /** Starts a bank, prints its base URL, and waits to be killed. */
    public static void main(String[] args) throws InterruptedException {
        System.out.println(Bank.start().baseUrl());
        Thread.sleep(Duration.ofMinutes(1).toMillis());
    }

    /** Runs main in a process of its own. */
    private static Process runner(String... options) throws IOException {
        var classes = System.getProperty("java.class.path");
        for (var each : List.of(Bank.class, SimulatorTest.class, com.fasterxml.jackson.databind.JsonNode.class,
                com.fasterxml.jackson.core.JsonParser.class, com.fasterxml.jackson.annotation.JsonValue.class)) {
            classes += File.pathSeparator + each.getProtectionDomain().getCodeSource().getLocation().getPath();
        }
        var command = new ArrayList<>(List.of("java", "-cp", classes));
        command.addAll(List.of(options));
        command.add(SimulatorTest.class.getName());
        return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    }

    private static String baseUrl(Process runner) throws IOException {
        var line = new BufferedReader(new InputStreamReader(runner.getInputStream())).readLine();
        return Objects.requireNonNull(line, "the process ended without a bank");
    }

    @Test
    @DisabledIfEnvironmentVariable(named = "BANKSIM_CONTROL", matches = ".+", disabledReason = "it runs already")
    void theSimulatorEndsWithAProcessThatIsKilled() throws Exception {
        var runner = runner();
        var request = HttpRequest.newBuilder(URI.create(baseUrl(runner))).timeout(Duration.ofSeconds(10)).build();
        App.HTTP.send(request, BodyHandlers.discarding());
        runner.destroyForcibly().waitFor();
        var end = Instant.now().plusSeconds(30);
        assertThrows(IOException.class, () -> {
            while (Instant.now().isBefore(end)) App.HTTP.send(request, BodyHandlers.discarding());
        });
    }
}
