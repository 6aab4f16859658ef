package io.github.digitalbankingsim;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayDeque;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A running simulator. */
final class Simulator {
    private static final String START_LIMIT = "30s";
    private static final int LAST_LINES = 10; // of what the program prints
    private static final int END_LIMIT = 200; // ms, in which a failed call finds out that the program has ended
    private static Simulator shared; // the simulator of this process, or null before its first bank

    final String url; // of the control API
    final JsonNode explored; // the sandbox that banksim explore has made for this process, or null
    private final Control control;
    private final String service; // URL that leads to the bank API, or "" if the simulator's own does
    private Child child; // null if this process hasn't started the simulator
    private HttpResponse<InputStream> keepalive; // holds its simulator until this process ends

    private Simulator(String control, String service, String token, JsonNode explored) {
        url = control;
        this.control = new Control(control, token);
        this.service = service;
        this.explored = explored;
    }

    /** Returns the simulator of this process. It starts one, if there is none or it has ended. */
    static synchronized Simulator shared(Duration startLimit) {
        if (shared == null || shared.hasEnded()) shared = of(System.getenv(), startLimit);
        return shared;
    }

    boolean hasEnded() {
        return child != null && !child.process.isAlive();
    }

    /** Returns the simulator that environment variables describe, once it runs. */
    static Simulator of(Map<String, String> environment, Duration startLimit) {
        var token = environment.getOrDefault("BANKSIM_CONTROL_TOKEN", "");
        if (!environment.getOrDefault("BANKSIM_EXPLORE", "").isEmpty()) {
            var parts = url(environment, "BANKSIM_CONTROL_URL").split("/v1/sandboxes/");
            var sandbox = Map.of("name", parts[1], "baseUrl", url(environment, "BANKSIM_BASE_URL"));
            return new Simulator(parts[0], "", environment.getOrDefault("BANKSIM_TOKEN", ""), Json.tree(sandbox));
        }
        var control = url(environment, "BANKSIM_CONTROL");
        if (!control.isEmpty()) return new Simulator(control, url(environment, "BANKSIM_SERVICE"), token, null);
        var program = environment.getOrDefault("BANKSIM", "");
        return start(program.isEmpty() ? "banksim" : program, token,
                startLimit == null ? startLimit(environment) : startLimit);
    }

    private static Duration startLimit(Map<String, String> environment) {
        var limit = environment.getOrDefault("BANKSIM_START_TIMEOUT", START_LIMIT);
        try {
            return Duration.parse("PT" + limit);
        } catch (DateTimeParseException e) {
            throw new BankException("BANKSIM_START_TIMEOUT is \"" + limit + "\", not a duration such as 90s", e);
        }
    }

    /** Returns the URL in a variable, without a slash at its end, or "" if there is none. */
    private static String url(Map<String, String> environment, String variable) {
        var text = environment.getOrDefault(variable, "");
        if (text.isEmpty()) return "";
        try {
            var url = (text.contains("://") ? text : "http://" + text).replaceAll("/+$", "");
            if (URI.create(url).getHost() != null) return url;
        } catch (IllegalArgumentException e) {
            // it says no more
        }
        throw new BankException(variable + " is no URL such as http://127.0.0.1:8081: \"" + text + "\"", 0);
    }

    /** Starts the program. It ends with this process, however that ends, because the keepalive breaks then. */
    private static Simulator start(String program, String token, Duration limit) {
        Path folder = null;
        Child child = null;
        try {
            folder = Files.createTempDirectory("banksim-");
            var ready = folder.resolve("ready.json");
            var builder = new ProcessBuilder(program, "serve", "--listen=127.0.0.1:0", "--listen=https://127.0.0.1:0",
                    "--control=127.0.0.1:0", "--no-default-sandbox", "--exit-when-idle=1m",
                    "--clock-start=2026-01-15T09:00:00Z", "--log-level=error", "--ready-file=" + ready);
            // No option comes from this process but the token: BANKSIM_DATA would have the tests write to a store.
            builder.environment().keySet().removeIf(name -> name.startsWith("BANKSIM_"));
            if (!token.isEmpty()) builder.environment().put("BANKSIM_CONTROL_TOKEN", token);
            child = new Child(builder.redirectErrorStream(true).start());
            awaitReady(program, child, ready, limit);
            var simulator = new Simulator(Json.read(Files.readString(ready)).get("control").asText(), "", token, null);
            simulator.keepalive = simulator.control.keepAlive();
            simulator.child = child;
            child = null; // nothing ends it from now on
            return simulator;
        } catch (IOException e) {
            var advice = child == null ? ": put it on the PATH, or name it in the variable BANKSIM" : "";
            throw new BankException("banksim didn't start: " + e.getMessage() + advice, e);
        } catch (InterruptedException e) {
            throw BankException.interrupted(e);
        } finally {
            if (child != null) child.process.destroyForcibly();
            if (folder != null) remove(folder);
        }
    }

    private static void awaitReady(String program, Child child, Path ready, Duration limit)
            throws IOException, InterruptedException {
        var end = Instant.now().plus(limit);
        while (!Files.exists(ready) || Files.size(ready) == 0) {
            if (!child.process.isAlive()) {
                var log = child.log();
                var reason = child.process.exitValue() == 0 ? program + " ended at once: is it banksim?"
                        : "it has ended with " + child.exit();
                var isOlder = log.contains("unknown flag");
                throw new IOException(reason + (isOlder ? ": the program is older than the kit: build it anew" : "")
                        + log);
            }
            if (Instant.now().isAfter(end)) {
                throw new IOException("it isn't ready after " + Json.duration(limit) + " (see startTimeout and "
                        + "BANKSIM_START_TIMEOUT)" + child.log());
            }
            Thread.sleep(5);
        }
    }

    /** Removes a folder and its file. What the system holds on to stays. */
    private static void remove(Path folder) {
        folder.resolve("ready.json").toFile().delete();
        folder.toFile().delete();
    }

    /** Returns the base URL of a sandbox. */
    String baseUrl(JsonNode sandbox) {
        return isDirect() ? sandbox.get("baseUrl").asText() : service + "/sandboxes/" + sandbox.get("name").asText();
    }

    /** Reports whether the URLs that the simulator gives lead to it. */
    boolean isDirect() {
        return service.isEmpty();
    }

    /** Makes a call of the control API, as {@link Control#call} does. */
    JsonNode call(String method, String path, Object body) {
        try {
            return control.call(method, path, body);
        } catch (IOException e) {
            if (child != null && child.ends()) {
                throw new BankException("the simulator ended (" + child.exit() + ")" + child.log(), e);
            }
            throw new BankException("the simulator at " + url + " doesn't answer: " + e, e);
        }
    }

    /** The program that this process has started. */
    private static final class Child {
        final Process process;
        private final ArrayDeque<String> lines = new ArrayDeque<>(); // the last ones
        private final Thread reader = new Thread(this::read, "banksim's log");

        Child(Process process) {
            this.process = process;
            reader.setDaemon(true);
            reader.start();
        }

        private void read() {
            try (var output = process.inputReader()) {
                for (var line = output.readLine(); line != null; line = output.readLine()) {
                    synchronized (lines) {
                        lines.add(line);
                        if (lines.size() > LAST_LINES) lines.remove();
                    }
                }
            } catch (IOException e) {
                // the lines so far are what there is
            }
        }

        /** Reports whether the program has ended. A call may fail just before that is known. */
        boolean ends() {
            try {
                return process.waitFor(END_LIMIT, TimeUnit.MILLISECONDS);
            } catch (InterruptedException e) {
                throw BankException.interrupted(e);
            }
        }

        /** Returns how the program ended: exit code 3, or signal 9. */
        String exit() {
            var code = process.exitValue();
            var isSignal = code > 128 && code <= 128 + 64;
            return isSignal ? "signal " + (code - 128) : "exit code " + code;
        }

        /** Returns the last lines of the program, each on a line of its own. */
        String log() {
            try {
                if (!process.isAlive()) reader.join(END_LIMIT);
            } catch (InterruptedException e) {
                throw BankException.interrupted(e);
            }
            var text = new StringBuilder();
            synchronized (lines) {
                for (var line : lines) text.append("\n\t").append(line);
            }
            return text.toString();
        }
    }
}
