package io.github.digitalbankingsim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.parallel.Isolated;

/** The cases that every kit has to pass. Each is a test: it has to pass, or to fail with some words. */
@Isolated("it reads System.err")
class CasesTest {
    private static final String FILE = System.getenv().getOrDefault("BANKSIM_CASES", "../cases.json");

    @TestFactory
    Stream<DynamicTest> cases() throws IOException {
        return StreamSupport.stream(Json.read(Files.readString(Path.of(FILE))).spliterator(), false)
                .map(one -> DynamicTest.dynamicTest(one.get("name").asText(), () -> check(one)));
    }

    private static void check(JsonNode one) throws Throwable {
        var told = new ByteArrayOutputStream();
        var err = System.err;
        System.setErr(new PrintStream(told, true));
        Throwable failure;
        try {
            failure = run(one);
        } finally {
            System.setErr(err);
        }
        if (failure != null && !one.has("fails")) throw failure;
        assertEquals(one.has("fails"), failure != null);
        var text = new StringWriter();
        text.append(told.toString());
        if (failure != null) failure.printStackTrace(new PrintWriter(text, true));
        for (var words : Stream.of(one.path("fails"), one.path("says")).flatMap(CasesTest::elements).toList()) {
            assertTrue(text.toString().contains(words.asText()), words.asText() + "\n---\n" + text);
        }
    }

    /** Runs a case as BankExtension does, and returns its failure, or null. */
    private static Throwable run(JsonNode one) {
        var plan = Bank.with();
        if (one.has("scenarioYaml")) plan.scenarioYaml(one.get("scenarioYaml").asText());
        var bank = plan.start();
        try {
            for (var step : one.get("steps")) take(bank, step.fields().next());
        } catch (Exception | AssertionError e) {
            bank.showReport(e);
            bank.discard();
            return e;
        }
        try {
            bank.close();
        } catch (AssertionError e) {
            return e;
        }
        return null;
    }

    private static void take(Bank bank, Map.Entry<String, JsonNode> step) throws IOException {
        var value = step.getValue();
        switch (step.getKey()) {
            case "inject" -> bank.inject(fault(value));
            case "injectNone" -> bank.inject();
            case "call" -> send(bank, value);
            case "control" -> bank.call(value.get("method").asText(), value.get("path").asText(), value.get("body"));
            case "clearFaults" -> bank.clearFaults();
            case "reset" -> bank.reset();
            case "verify" -> bank.verify(new Expectation(members(value)));
            case "verifyInOrder" -> bank.verifyInOrder(elements(value).map(CasesTest::members).map(Expectation::new)
                    .toArray(Expectation[]::new));
            case "eventually" -> {
                var expected = members(value);
                var within = Duration.parse("PT" + inSeconds((String) expected.remove("within")));
                bank.eventually(within, new Expectation(expected));
            }
            case "noLints" -> bank.noLints();
            default -> throw new IllegalArgumentException("unknown step " + step.getKey());
        }
    }

    private static Fault fault(JsonNode value) {
        var members = members(value);
        return Boolean.TRUE.equals(members.remove("optional")) ? new Fault(Json.with(members, "required", false))
                : new Fault(members);
    }

    private static String inSeconds(String duration) {
        return duration.endsWith("ms") ? "0." + "0".repeat(5 - duration.length()) + duration.replace("ms", "s")
                : duration;
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> members(JsonNode json) {
        return Json.convert(json, LinkedHashMap.class);
    }

    private static Stream<JsonNode> elements(JsonNode list) {
        return StreamSupport.stream(list.spliterator(), false);
    }

    /** Sends a request, whose answer a fault may lose, on a connection of its own. No client repeats it. */
    private static void send(Bank bank, JsonNode request) throws IOException {
        var url = URI.create(bank.baseUrl() + request.get("path").asText());
        var body = request.path("body").asText().getBytes(StandardCharsets.UTF_8);
        var head = new ArrayList<>(List.of(request.get("method").asText() + " " + url.getRawPath() + " HTTP/1.1",
                "Host: " + url.getAuthority(), "Connection: close", "Content-Length: " + body.length));
        request.path("headers").fields().forEachRemaining(h -> head.add(h.getKey() + ": " + h.getValue().asText()));
        if (request.path("token").asBoolean()) head.add("Authorization: Bearer " + bank.token());
        try (var socket = new Socket(url.getHost(), url.getPort())) {
            socket.getOutputStream().write((String.join("\r\n", head) + "\r\n\r\n").getBytes(StandardCharsets.UTF_8));
            socket.getOutputStream().write(body);
            socket.getInputStream().readAllBytes();
        } catch (IOException e) {
            // as the fault wants it
        }
    }
}
