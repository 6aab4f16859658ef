package io.github.digitalbankingsim;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A simulated bank of one test. {@link BankExtension} gives one to each test of JUnit; {@link #start} starts one for
 * any other runner, which has to {@link #close} it.
 *
 * <p>All banks of a process are on one simulator. The first bank starts it, and it ends with the process. The
 * variable BANKSIM names the program; without it, banksim is found on the PATH. BANKSIM_CONTROL names the control API
 * of a simulator that runs already.
 *
 * <p>A call that the simulator refuses throws a {@link BankException} with the reason. Threads may share a bank.
 */
public final class Bank implements AutoCloseable {
    private static final String TTL = "1h"; // after which a bank is removed whose process was killed
    private static final Duration RENEWAL = Duration.ofMinutes(10); // how often a call puts that off
    private static final int JOURNAL_LIMIT = 1000; // exchanges
    private static final int REPORT_LIMIT = 20; // exchanges

    private final Simulator simulator;
    private final String name;
    private final String baseUrl;
    private final String httpsUrl; // or null
    private final Map<String, String> injected = new ConcurrentHashMap<>(); // where in the test, by the fault's name
    volatile long renewedAt = System.nanoTime();

    Bank(Simulator simulator, Builder plan) {
        this.simulator = simulator;
        var sandbox = simulator.call("POST", "/v1/sandboxes", plan.members);
        name = sandbox.get("name").asText();
        baseUrl = simulator.baseUrl(name, sandbox.get("baseUrl").asText());
        httpsUrl = simulator.isDirect() && sandbox.has("httpsUrl") ? sandbox.get("httpsUrl").asText() : null;
    }

    /** Starts a bank from the simulator's own scenario: retail, unless it runs already with another. */
    public static Bank start() {
        return with().start();
    }

    /** Begins a bank that is told how to start: {@code Bank.with().scenario("flaky").seed(7).start()}. */
    public static Builder with() {
        return new Builder();
    }

    /** Says how a bank starts. */
    public static final class Builder {
        private final Map<String, Object> members = new LinkedHashMap<>(Map.of("ttl", TTL));

        private Builder() {}

        /** Starts from a built-in scenario. */
        public Builder scenario(String name) {
            members.put("scenario", name);
            return this;
        }

        /** Starts from the YAML of a scenario. */
        public Builder scenarioYaml(String yaml) {
            members.put("scenarioYaml", yaml);
            return this;
        }

        /** Makes the bank draw the same ids and tokens each time. */
        public Builder seed(long seed) {
            members.put("seed", seed);
            return this;
        }

        /** Starts the bank. */
        public Bank start() {
            return new Bank(Simulator.shared(), this);
        }
    }

    /** Returns the URL to which an app appends the interface's paths. */
    public String baseUrl() {
        return baseUrl;
    }

    /** Returns the same for https. It is empty if a simulator that runs already has none, or BANKSIM_SERVICE is set. */
    public Optional<String> httpsUrl() {
        return Optional.ofNullable(httpsUrl);
    }

    /** Returns the certificate, as PEM, of the CA that clients of {@link #httpsUrl} must trust. */
    public String caCert() {
        return simulator.call("GET", "/ca.pem", null).asText();
    }

    /** Returns an access token for the first client of the first institution. It is good for all users. */
    public String token() {
        return token(new TokenOptions());
    }

    /** Returns an access token. */
    public String token(TokenOptions options) {
        return grant(options, false).accessToken();
    }

    /** Logs a user in: returns an access and a refresh token for the user. */
    public Grant login(String hostUserId) {
        return login(new TokenOptions().user(hostUserId));
    }

    /** Logs a user in, as the options say. */
    public Grant login(TokenOptions options) {
        return grant(options, true);
    }

    private Grant grant(TokenOptions options, boolean refresh) {
        var members = new LinkedHashMap<String, Object>(Map.of("refresh", refresh));
        if (options.institutionId() != null) members.put("institutionId", options.institutionId());
        if (options.client() != null) members.put("client", options.client());
        if (options.hostUserId() != null) members.put("hostUserId", options.hostUserId());
        if (options.expiresIn() != null) members.put("expiresIn", Json.duration(options.expiresIn()));
        return Json.convert(call("POST", "/tokens", members), Grant.class);
    }

    /** Adds faults. Each must fire at least once until the bank is reset or closed. */
    public void inject(Fault... faults) {
        var caller = StackWalker.getInstance()
                .walk(frames -> frames.filter(frame -> !frame.getClassName().equals(Bank.class.getName())).findFirst())
                .map(frame -> frame.toStackTraceElement().toString()).orElse("an unknown place");
        for (var added : call("POST", "/faults", faults).get("faults")) {
            injected.put(added.get("name").asText(), caller);
        }
    }

    /** Removes all faults, also those of the scenario. Throws an AssertionError if an injected one never fired. */
    public void clearFaults() {
        requireFired();
        call("DELETE", "/faults");
    }

    /** Throws an AssertionError that shows the nearest requests, unless the bank had the requests that are expected. */
    public void verify(Expectation expectation) {
        var verdict = call("POST", "/journal/verify", expectation);
        if (!verdict.get("verified").asBoolean()) throw new AssertionError(verdict.get("text").asText());
    }

    /** Returns the last exchanges, at most a thousand, the newest last. */
    public List<Exchange> journal() {
        return journal("");
    }

    /** Returns the last exchanges of an operation or, such as "groups.*", of a family. */
    public List<Exchange> journal(String operation) {
        var page = call("GET", "/journal?limit=" + JOURNAL_LIMIT
            + (operation.isEmpty() ? "" : "&q=operation:" + escape(operation)));
        return List.of(Json.convert(page.get("exchanges"), Exchange[].class));
    }

    /** Returns the last twenty exchanges, with the decisions behind the answers, as a failed test shows them. */
    public String report() {
        return call("GET", "/journal?format=text&limit=" + REPORT_LIMIT).asText();
    }

    /** Says why the bank answered its newest request as it did. */
    public String why() {
        return why("newest");
    }

    /** Says why the bank answered a request as it did, by the id of its exchange. */
    public String why(String exchange) {
        return call("GET", "/journal/" + escape(exchange) + "/why?format=text").asText();
    }

    /** Returns all that the bank holds. */
    public State state() {
        return state("");
    }

    private State state(String query) {
        return Json.convert(call("GET", "/state" + query), State.class);
    }

    /** Changes an institution. Like the other patches, it applies no rule of the bank. */
    public void patchInstitution(String institutionId, InstitutionPatch patch) {
        call("PATCH", path(institutionId), patch);
    }

    /** Changes a user. */
    public void patchUser(String institutionId, String hostUserId, UserPatch patch) {
        call("PATCH", path(institutionId, hostUserId), patch);
    }

    /** Changes an account. */
    public void patchAccount(String institutionId, String hostUserId, String accountId, AccountPatch patch) {
        call("PATCH", path(institutionId, hostUserId) + "/accounts/" + escape(accountId), patch);
    }

    /** Moves the bank's clock, and returns the time that it shows then. */
    public Instant advance(Duration by) {
        return Instant.parse(call("POST", "/clock", Map.of("advance", Json.duration(by))).get("now").asText());
    }

    /** Puts everything back to the start. Throws an AssertionError if an injected fault never fired. */
    public void reset() {
        requireFired();
        call("POST", "/reset");
    }

    /** Makes any other call of the control API about this bank, such as {@code bank.call("GET", "/diff")}. */
    public JsonNode call(String method, String path) {
        return call(method, path, null);
    }

    /**
     * Makes any other call of the control API about this bank.
     *
     * @param path what follows /v1/sandboxes/NAME
     * @param body a map, a record, any other value that Jackson writes, JSON text, or null
     * @return the JSON of the answer, or a text node if the answer is text
     */
    public JsonNode call(String method, String path, Object body) {
        if (System.nanoTime() - renewedAt > RENEWAL.toNanos()) {
            renewedAt = System.nanoTime();
            simulator.call("PATCH", "/v1/sandboxes/" + name, Map.of("ttl", TTL));
        }
        return simulator.call(method, "/v1/sandboxes/" + name + path, body);
    }

    /** Removes the bank. Throws an AssertionError if an injected fault never fired. */
    @Override
    public void close() {
        try {
            requireFired();
        } finally {
            remove();
        }
    }

    void remove() {
        call("DELETE", "");
    }

    /**
     * Throws an AssertionError that names the injected faults that never fired. After it they need not fire any more.
     */
    void requireFired() {
        if (injected.isEmpty()) return;
        var idle = new ArrayList<String>();
        for (var fault : call("GET", "/faults").get("faults")) {
            var place = injected.get(fault.get("name").asText());
            if (place != null && fault.get("fired").asLong() == 0) idle.add(neverFired(fault, place));
        }
        injected.clear();
        if (!idle.isEmpty()) throw new AssertionError(String.join("\n", idle));
    }

    private static String neverFired(JsonNode fault, String place) {
        var matched = fault.get("matched").asLong();
        var requests = matched == 1 ? "1 request" : matched + " requests";
        return "fault " + fault.get("name").asText() + " (" + fault.get("summary").asText() + ") never fired: "
                + requests + " matched it\n\tinjected at " + place;
    }

    private static String path(String institutionId) {
        return "/institutions/" + escape(institutionId);
    }

    private static String path(String institutionId, String hostUserId) {
        return path(institutionId) + "/users/" + escape(hostUserId);
    }

    private static String escape(String id) {
        return URLEncoder.encode(id, StandardCharsets.UTF_8).replace("+", "%20");
    }
}
