package io.github.digitalbankingsim;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Map;

/** A running simulator, and the calls of its control API. */
final class Simulator {
    private static final Duration CALL_LIMIT = Duration.ofSeconds(10);
    private static final String START_LIMIT = "30s";
    private static final HttpClient HTTP = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .proxy(HttpClient.Builder.NO_PROXY) // no proxy reaches a simulator that runs for a test
            .build();
    private static Simulator shared; // the simulator of this process, or null before its first bank

    private final String control; // URL of the control API
    private final String service; // URL that leads to the bank API, or "" if the simulator's own does
    private final String token; // of the control API, or "" for none
    private HttpResponse<InputStream> keepalive; // keeps a simulator of this process running until the process ends

    private Simulator(String control, String service, String token) {
        this.control = control;
        this.service = service;
        this.token = token;
    }

    /** Returns the simulator of this process. The first call starts it, unless BANKSIM_CONTROL names one. */
    static synchronized Simulator shared() {
        if (shared == null) shared = of(System.getenv());
        return shared;
    }

    /** Returns the simulator that environment variables describe, once it runs. */
    static Simulator of(Map<String, String> environment) {
        var token = environment.getOrDefault("BANKSIM_CONTROL_TOKEN", "");
        var control = environment.getOrDefault("BANKSIM_CONTROL", "");
        if (!control.isEmpty()) {
            return new Simulator(url(control), url(environment.getOrDefault("BANKSIM_SERVICE", "")), token);
        }
        var program = environment.getOrDefault("BANKSIM", "");
        return start(program.isEmpty() ? "banksim" : program, token, startLimit(environment));
    }

    private static Duration startLimit(Map<String, String> environment) {
        var limit = environment.getOrDefault("BANKSIM_START_TIMEOUT", START_LIMIT);
        try {
            return Duration.parse("PT" + limit);
        } catch (DateTimeParseException e) {
            throw new BankException("BANKSIM_START_TIMEOUT is \"" + limit + "\", not a duration such as 90s", e);
        }
    }

    private static String url(String address) {
        var isComplete = address.isEmpty() || address.contains("://");
        return (isComplete ? address : "http://" + address).replaceAll("/+$", "");
    }

    /** Starts the program. It ends with this process, however that ends, because the keepalive breaks then. */
    private static Simulator start(String program, String token, Duration limit) {
        Path folder = null;
        Process process = null;
        try {
            folder = Files.createTempDirectory("banksim-");
            Path ready = folder.resolve("ready.json"), log = folder.resolve("log");
            var builder = new ProcessBuilder(program, "serve", "--listen=127.0.0.1:0", "--listen=https://127.0.0.1:0",
                    "--control=127.0.0.1:0", "--no-default-sandbox", "--exit-when-idle=1m",
                    "--clock-start=2026-01-15T09:00:00Z", "--log-level=error", "--ready-file=" + ready)
                    .redirectErrorStream(true).redirectOutput(log.toFile());
            // No option comes from this process but the token: BANKSIM_DATA would have the tests write to a store.
            builder.environment().keySet().removeIf(name -> name.startsWith("BANKSIM_"));
            if (!token.isEmpty()) builder.environment().put("BANKSIM_CONTROL_TOKEN", token);
            process = builder.start();
            awaitReady(process, ready, log, limit);
            var control = Json.read(Files.readString(ready)).get("control").asText();
            var simulator = new Simulator(control, "", token);
            var keepalive = simulator.request("/v1/keepalive?linger=0s").POST(BodyPublishers.noBody()).build();
            simulator.keepalive = HTTP.send(keepalive, BodyHandlers.ofInputStream());
            process = null; // nothing ends it from now on
            return simulator;
        } catch (IOException e) {
            throw new BankException("banksim didn't start: " + e.getMessage()
                    + ": put banksim on the PATH, or name it in the variable BANKSIM", e);
        } catch (InterruptedException e) {
            throw interrupted(e);
        } finally {
            if (process != null) process.destroy();
            if (folder != null) remove(folder);
        }
    }

    private static void awaitReady(Process process, Path ready, Path log, Duration limit)
            throws IOException, InterruptedException {
        var end = Instant.now().plus(limit);
        while (!Files.exists(ready) || Files.size(ready) == 0) {
            if (!process.isAlive()) {
                throw new BankException("banksim didn't start: it ended with exit code " + process.exitValue()
                        + ": " + Files.readString(log).strip());
            }
            if (Instant.now().isAfter(end)) {
                throw new BankException("banksim didn't start within " + Json.duration(limit)
                        + " (BANKSIM_START_TIMEOUT sets another limit): " + Files.readString(log).strip());
            }
            Thread.sleep(5);
        }
    }

    /** Removes a folder and its files. What the system holds on to stays. */
    private static void remove(Path folder) {
        for (var name : List.of("ready.json", "log", "")) {
            folder.resolve(name).toFile().delete();
        }
    }

    /** Returns the base URL of a sandbox whose own is the given one. */
    String baseUrl(String sandbox, String own) {
        return service.isEmpty() ? own : service + "/sandboxes/" + sandbox;
    }

    /** Reports whether the URLs that the simulator gives lead to it. */
    boolean isDirect() {
        return service.isEmpty();
    }

    /** Makes a call. It returns the JSON of the answer, a text node for text, or a missing node for an empty answer. */
    JsonNode call(String method, String path, Object body) {
        var request = request(path).timeout(CALL_LIMIT).method(method, body == null
                ? BodyPublishers.noBody() : BodyPublishers.ofString(Json.tree(body).toString())).build();
        try {
            var answer = HTTP.send(request, BodyHandlers.ofString());
            var isJson = answer.headers().firstValue("Content-Type").orElse("").contains("json");
            if (answer.statusCode() >= 300) throw refusal(answer, isJson);
            return isJson || answer.body().isEmpty() ? Json.read(answer.body()) : TextNode.valueOf(answer.body());
        } catch (IOException e) {
            throw new BankException("no simulator answers at " + control + ": " + e, e);
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    private HttpRequest.Builder request(String path) {
        var request = HttpRequest.newBuilder(URI.create(control + path));
        return token.isEmpty() ? request : request.header("Authorization", "Bearer " + token);
    }

    private static BankException refusal(HttpResponse<String> answer, boolean isJson) {
        var status = answer.statusCode();
        if (status == 401) {
            return new BankException("the control API wants another token: give BANKSIM_CONTROL_TOKEN the one "
                    + "that the simulator was started with, or logged", status);
        }
        var problem = isJson ? Json.read(answer.body()) : null;
        if (problem == null || !problem.has("detail")) {
            return new BankException("the answer " + status + " is not one of a control API: does BANKSIM_CONTROL "
                    + "name the address of the bank instead?", status);
        }
        var text = new StringBuilder(problem.get("detail").asText());
        for (var defect : problem.path("problems")) {
            text.append("\n\t");
            if (defect.has("line")) {
                text.append(defect.path("file").asText()).append(':').append(defect.get("line").asInt()).append(':')
                        .append(defect.path("column").asInt()).append(": ");
            }
            text.append(defect.path("message").asText());
        }
        return new BankException(text.toString(), status);
    }

    private static BankException interrupted(InterruptedException e) {
        Thread.currentThread().interrupt(); // whoever has interrupted the thread finds it so
        return new BankException("the thread was interrupted while it waited for the simulator", e);
    }
}
