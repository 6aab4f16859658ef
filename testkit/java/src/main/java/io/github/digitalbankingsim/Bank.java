package io.github.digitalbankingsim;

import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.*;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.time.*;
import java.util.*;

/**
 * A simulated bank of one test: a sandbox of its own, which is asked what the app did.
 *
 * <p>It needs the program banksim, named by the variable BANKSIM or found on the PATH, or the control API of a simulator that runs already,
 * in BANKSIM_CONTROL. The simulator starts with the first bank of the process, and ends with the process.
 *
 * <p>JSON is given as text, and returned as Map, List, String, Double, Boolean or null. A refused call throws an IllegalStateException.
 */
public final class Bank implements AutoCloseable {
    private static final Duration TIMEOUT = Duration.ofSeconds(10); // of the start, and of each call
    private static final HttpClient HTTP = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private static final String TOKEN = System.getenv().getOrDefault("BANKSIM_CONTROL_TOKEN", "none");
    private static String control; // the URL of the control API of this process's simulator; null: none has started
    private static HttpResponse<?> lifeline; // which keeps that running, and breaks with this process

    private final Map<?, ?> sandbox;
    private final Set<Object> unfired = new HashSet<>(); // names of faults that inject has added

    private Bank(Map<?, ?> sandbox) {
        this.sandbox = sandbox;
    }

    /** Returns a new bank, from the scenario of the simulator: retail, unless it runs already with another. */
    public static Bank start() {
        return start("{\"ttl\": \"1h\"}");
    }

    /** Returns a new bank. The plan is that of a new sandbox of the control API: {@code {"scenario": "retail", "ttl": "1h"}}. */
    public static Bank start(String plan) {
        return new Bank((Map<?, ?>) send("POST", "/v1/sandboxes", plan));
    }

    /** The URL to which the app appends the interface's paths. */
    public String baseUrl() {
        return (String) sandbox.get("baseUrl");
    }

    /** Makes a call of the control API about this bank, such as call("GET", "/diff", null), and returns what it answers. */
    public Object call(String method, String path, String body) {
        return send(method, "/v1/sandboxes/" + sandbox.get("name") + path, body);
    }

    /** Adds a fault rule, or a list of them. Each has to fire until the bank is reset or closed. */
    public void inject(String rules) {
        var added = (Map<?, ?>) call("POST", "/faults", rules);
        for (var fault : (List<?>) added.get("faults")) unfired.add(((Map<?, ?>) fault).get("name"));
    }

    /** Throws an AssertionError unless the bank had the requests that are expected. */
    public void verify(String expectation) {
        var verdict = (Map<?, ?>) call("POST", "/journal/verify", expectation);
        if (verdict.get("verified") != Boolean.TRUE) throw new AssertionError(verdict.get("text"));
    }

    /** Returns the last exchanges of an operation or, without one, all; at most a thousand, the newest last. */
    public List<?> journal(String operation) {
        return (List<?>) ((Map<?, ?>) call("GET", "/journal?limit=1000&operation=" + escape(operation), null)).get("exchanges");
    }

    /** Says why the bank answered its newest request as it did. */
    public String why() {
        var newest = (List<?>) ((Map<?, ?>) call("GET", "/journal?limit=1", null)).get("exchanges");
        if (newest.isEmpty()) throw new IllegalStateException("the bank had no request: does the app use its baseUrl?");
        return why((String) ((Map<?, ?>) newest.get(0)).get("id"));
    }

    /** Says why the bank answered the request of a number as it did. */
    public String why(String exchange) {
        return (String) call("GET", "/journal/" + escape(exchange) + "/why?format=text", null);
    }

    /** Returns all that the bank holds. */
    public Map<?, ?> state() {
        return (Map<?, ?>) call("GET", "/state", null);
    }

    /** Changes an institution, one of its users, or an account of a user, named by their ids, past the bank's rules. Returns the row. */
    public Map<?, ?> patch(String set, String institutionId, String... userAndAccount) {
        var path = "/institutions/" + escape(institutionId);
        if (userAndAccount.length > 0) path += "/users/" + escape(userAndAccount[0]);
        if (userAndAccount.length > 1) path += "/accounts/" + escape(userAndAccount[1]);
        return (Map<?, ?>) call("PATCH", path, set);
    }

    /** Moves the bank's clock, and returns the time that it shows then. */
    public Instant advance(Duration by) {
        return Instant.parse((String) ((Map<?, ?>) call("POST", "/clock", "{\"advance\": \"" + by.toMillis() + "ms\"}")).get("now"));
    }

    /** Puts everything back to the start: bank, faults, journal and clock. */
    public void reset() {
        requireFired();
        call("POST", "/reset", null);
    }

    /** Removes the bank. Throws an AssertionError if a fault that inject has added never fired. */
    @Override
    public void close() {
        try {
            requireFired();
        } finally {
            call("DELETE", "", null);
        }
    }

    private void requireFired() {
        var idle = new ArrayList<String>();
        for (Object each : (List<?>) ((Map<?, ?>) call("GET", "/faults", null)).get("faults")) {
            var fault = (Map<?, ?>) each;
            if (unfired.contains(fault.get("name")) && fault.get("fired").equals(0.0)) {
                idle.add(String.format("the fault %s never fired: %.0f requests were its operation's, and like those it is for",
                        fault.get("name"), fault.get("matched")));
            }
        }
        unfired.clear();
        if (!idle.isEmpty()) throw new AssertionError(String.join("\n", idle));
    }

    private static Object send(String method, String path, String body) {
        try {
            var answer = HTTP.send(request(simulator() + path).timeout(TIMEOUT).method(method, body == null
                    ? HttpRequest.BodyPublishers.noBody() : HttpRequest.BodyPublishers.ofString(body)).build(), BodyHandlers.ofString());
            var media = answer.headers().firstValue("Content-Type").orElse("");
            var content = media.contains("json") ? new Json(answer.body()).value() : answer.body();
            if (answer.statusCode() < 300) return content;
            var text = new StringBuilder(method + " " + path + ": " + answer.statusCode() + " ");
            var problem = content instanceof Map<?, ?> document ? document : Map.of("detail", content);
            text.append(problem.get("detail"));
            for (var each : problem.get("problems") instanceof List<?> all ? all : List.of()) {
                var p = (Map<?, ?>) each;
                var isAt = p.containsKey("line");
                text.append(isAt ? String.format("\n\t%s:%.0f:%.0f: ", p.get("file"), p.get("line"), p.get("column")) : "\n\t");
                text.append(p.get("message"));
            }
            throw new IllegalStateException(text.toString());
        } catch (IOException e) {
            throw new IllegalStateException("no simulator answers at " + control + ": " + e, e);
        } catch (InterruptedException e) {
            throw new IllegalStateException("interrupted", e);
        }
    }

    private static HttpRequest.Builder request(String url) {
        return HttpRequest.newBuilder(URI.create(url)).header("Authorization", "Bearer " + TOKEN);
    }

    private static String escape(String id) {
        return URLEncoder.encode(id, StandardCharsets.UTF_8).replace("+", "%20");
    }

    /** Returns the URL of the control API, once the simulator runs. */
    private static synchronized String simulator() throws IOException, InterruptedException {
        if (control != null) return control;
        var running = System.getenv().getOrDefault("BANKSIM_CONTROL", "");
        if (!running.isEmpty()) return control = (running.contains("://") ? "" : "http://") + running.replaceAll("/$", "");
        var folder = Files.createTempDirectory("banksim-");
        Path ready = folder.resolve("ready.json"), said = folder.resolve("said");
        try {
            var process = new ProcessBuilder(System.getenv().getOrDefault("BANKSIM", "banksim"), "serve", "--listen=127.0.0.1:0",
                    "--control=127.0.0.1:0", "--no-default-sandbox", "--exit-when-idle=1m", "--clock-start=2026-01-15T09:00:00Z",
                    "--log-level=error", "--ready-file=" + ready)
                    .redirectErrorStream(true).redirectOutput(said.toFile()).start();
            for (var end = Instant.now().plus(TIMEOUT); !Files.exists(ready) || Files.size(ready) == 0; Thread.sleep(5)) {
                if (!process.isAlive() || Instant.now().isAfter(end)) {
                    throw new IllegalStateException("banksim didn't start: " + Files.readString(said));
                }
            }
            control = (String) ((Map<?, ?>) new Json(Files.readString(ready)).value()).get("control");
        } catch (IOException e) {
            throw new IllegalStateException("banksim didn't start: " + e.getMessage() + ": put it on the PATH, or name it in BANKSIM", e);
        } finally {
            for (var file : List.of(ready, said, folder)) Files.deleteIfExists(file);
        }
        lifeline = HTTP.send(request(control + "/v1/lifeline?linger=0s").build(), BodyHandlers.ofInputStream());
        return control;
    }

    /** Reads the JSON of the simulator, which is valid. */
    private static final class Json {
        private final String text;
        private int at;

        private Json(String text) {
            this.text = text;
        }

        Object value() {
            var c = next();
            if (c == '"') return string();
            if (c != '{' && c != '[') {
                var from = at - 1;
                while (at < text.length() && ",]} \r\n\t".indexOf(text.charAt(at)) < 0) at++;
                var word = text.substring(from, at);
                return switch (word) {
                    case "null" -> null;
                    case "true", "false" -> Boolean.valueOf(word);
                    default -> Double.valueOf(word);
                };
            }
            var members = new LinkedHashMap<String, Object>();
            var elements = new ArrayList<Object>();
            for (var isFirst = true; ; isFirst = false) {
                var begins = next();
                if (begins == '}') return members;
                if (begins == ']') return elements;
                if (isFirst) at--; // otherwise it was a comma
                if (c == '[') {
                    elements.add(value());
                    continue;
                }
                next();
                var name = string();
                next();
                members.put(name, value());
            }
        }

        /** Returns the next character that isn't blank. */
        private char next() {
            while (Character.isWhitespace(text.charAt(at))) at++;
            return text.charAt(at++);
        }

        /** Reads a string after its opening quote. */
        private String string() {
            var read = new StringBuilder();
            for (char c; (c = text.charAt(at++)) != '"'; ) {
                if (c == '\\') {
                    c = text.charAt(at++);
                    var escaped = "bfnrt".indexOf(c);
                    if (escaped >= 0) c = "\b\f\n\r\t".charAt(escaped);
                    if (c == 'u') c = (char) Integer.parseInt(text.substring(at, at += 4), 16);
                }
                read.append(c);
            }
            return read.toString();
        }
    }
}
