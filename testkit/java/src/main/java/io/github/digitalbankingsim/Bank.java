package io.github.digitalbankingsim;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A simulated bank of one test. {@link BankExtension} gives one to each test of JUnit; {@link #start} starts one for
 * any other runner, which has to {@link #close} it.
 *
 * <p>All banks of a process are on one simulator. The first bank starts it, and it ends with the process. The
 * variable BANKSIM names the program; without it, banksim is found on the PATH. BANKSIM_CONTROL names the control API
 * of a simulator that runs already.
 *
 * <p>A call that the simulator refuses throws a {@link BankException} with the reason. A check that fails throws an
 * AssertionError. Threads may share a bank. If nobody calls a bank for an hour, it is removed.
 */
public final class Bank implements AutoCloseable {
    private static final String TTL = "1h"; // after which a bank is removed whose process was killed
    private static final Duration RENEWAL = Duration.ofMinutes(10); // how often a call puts that off
    private static final int NAMES_IN_URL = 100; // as many names of faults as a URL has room for
    private static Bank explored; // the bank that a test has while banksim explore runs the tests, or null

    private final Simulator simulator;
    private final String name;
    private final String baseUrl;
    private final String httpsUrl; // or null
    private final Builder plan; // of the explored bank, which begins anew for each test, or null
    private final Map<String, StackTraceElement[]> injected = Collections.synchronizedMap(new LinkedHashMap<>());
    private final List<String> snapshots = Collections.synchronizedList(new ArrayList<>());
    private final List<Bank> forks = Collections.synchronizedList(new ArrayList<>());
    private final boolean isFork; // then it ends with the bank that it was made from
    private final AtomicBoolean closed = new AtomicBoolean();
    private volatile boolean isRemoved;
    private volatile String since = "0"; // the newest exchange that the test doesn't see
    volatile long renewedAt = System.nanoTime();

    private Bank(Simulator simulator, JsonNode sandbox, Builder plan, boolean isFork) {
        this.simulator = simulator;
        this.plan = plan;
        this.isFork = isFork;
        name = sandbox.get("name").asText();
        baseUrl = simulator.baseUrl(sandbox);
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
        private final Map<String, Object> members = new LinkedHashMap<>();
        private Duration startTimeout; // or null for that of the environment

        private Builder() {}

        /** Starts from a built-in scenario. */
        public Builder scenario(String name) {
            return put("scenario", name);
        }

        /** Starts from the YAML of a scenario. */
        public Builder scenarioYaml(String yaml) {
            return put("scenarioYaml", yaml);
        }

        /** Starts from a scenario in a file. */
        public Builder scenarioFile(Path file) {
            try {
                return scenarioYaml(Files.readString(file));
            } catch (IOException e) {
                throw new UncheckedIOException("the scenario can't be read: " + e, e);
            }
        }

        /** Makes the bank draw the same ids and tokens each time. */
        public Builder seed(long seed) {
            return put("seed", seed);
        }

        /**
         * Lets pages of these origins read the answers, such as "http://localhost:*". A scenario in YAML has
         * behavior.cors instead.
         */
        public Builder cors(String... origins) {
            return put("cors", List.of(origins));
        }

        /** Limits how long the simulator may take to start, if this bank starts it: 30 seconds by default. */
        public Builder startTimeout(Duration limit) {
            startTimeout = limit;
            return this;
        }

        /** Starts the bank. */
        public Bank start() {
            return start(Simulator.shared(startTimeout));
        }

        Bank start(Simulator simulator) {
            if (simulator.explored != null) return startExplored(simulator, this);
            var plan = Json.with(members, "ttl", TTL);
            return new Bank(simulator, simulator.call("POST", "/v1/sandboxes", plan), null, false);
        }

        private Builder put(String member, Object value) {
            members.put(member, value);
            return this;
        }
    }

    /**
     * Starts a bank while banksim explore runs the tests. All banks are the explored one then, one after another, and
     * each begins at the start again. So the calls of all tests are counted together.
     */
    private static synchronized Bank startExplored(Simulator simulator, Builder plan) {
        if (explored != null) {
            throw new BankException("banksim explore runs the tests with one bank at a time, and another test's is "
                    + "open: set junit.jupiter.execution.parallel.enabled=false, and close each bank", 0);
        }
        var bank = new Bank(simulator, simulator.explored, plan, false);
        bank.begin();
        return explored = bank;
    }

    private static synchronized void endExplored() {
        explored = null;
    }

    private void begin() {
        call("POST", "/begin", plan.members);
        since = call("GET", "/journal?limit=1").get("exchanges").path(0).path("id").asText("0");
    }

    /** Returns the URL to which an app appends the interface's paths. */
    public String baseUrl() {
        return baseUrl;
    }

    /** Returns the same for https. It is empty if a simulator that runs already has none, or BANKSIM_SERVICE is set. */
    public Optional<String> httpsUrl() {
        return Optional.ofNullable(httpsUrl);
    }

    /** Returns the URL of the bank in the control API. */
    public String controlUrl() {
        return simulator.url + "/v1/sandboxes/" + name;
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
    public Api.MintedToken login(String hostUserId) {
        return login(new TokenOptions().user(hostUserId));
    }

    /** Logs a user in, as the options say. */
    public Api.MintedToken login(TokenOptions options) {
        if (options.hostUserId() == null || options.hostUserId().isEmpty()) {
            throw new IllegalArgumentException("login: the hostUserId is missing");
        }
        return grant(options, true);
    }

    private Api.MintedToken grant(TokenOptions options, boolean refresh) {
        var members = new LinkedHashMap<String, Object>(Map.of("refresh", refresh));
        if (options.institutionId() != null) members.put("institutionId", options.institutionId());
        if (options.client() != null) members.put("client", options.client());
        if (options.hostUserId() != null) members.put("hostUserId", options.hostUserId());
        if (options.expiresIn() != null) members.put("expiresIn", Json.duration(options.expiresIn()));
        return Json.convert(call("POST", "/tokens", members), Api.MintedToken.class);
    }

    /** Returns what became of an access or refresh token: active, expired, revoked or unknown. */
    public String tokenStatus(String token) {
        return call("POST", "/token-status", Map.of("token", token)).get("status").asText();
    }

    /**
     * Adds faults. Each has to have an effect until the bank is reset or closed, or its faults are cleared, unless it
     * is {@link Fault.Builder#optional}.
     */
    public void inject(Fault... faults) {
        var stack = Stream.of(new Throwable().getStackTrace())
                .dropWhile(frame -> frame.getClassName().equals(Bank.class.getName()))
                .toArray(StackTraceElement[]::new);
        var rules = new ArrayList<Map<String, Object>>();
        for (var fault : faults) {
            var rule = new LinkedHashMap<String, Object>(Map.of("required", true));
            if (stack.length > 0) rule.put("from", stack[0].getFileName() + ":" + stack[0].getLineNumber());
            rule.putAll(fault.members());
            rules.add(rule);
        }
        for (var added : call("POST", "/faults", rules).get("faults")) injected.put(added.get("name").asText(), stack);
    }

    /** Removes all faults. Throws an AssertionError if one that was injected had no effect. */
    public void clearFaults() {
        judgeFaults("DELETE", "/faults");
    }

    /** Removes the faults that the test has injected or, where the bank is the test's own, makes the call. */
    private void judgeFaults(String method, String path) {
        var names = List.copyOf(injected.keySet());
        try {
            if (plan == null) call(method, path + "?verdict=true");
            for (int i = 0; plan != null && i < names.size(); i += NAMES_IN_URL) {
                var some = names.subList(i, Math.min(i + NAMES_IN_URL, names.size()));
                call("DELETE", "/faults?verdict=true&name="
                        + some.stream().map(Bank::escape).collect(Collectors.joining(",")));
            }
        } finally {
            injected.clear();
        }
    }

    /** Throws an AssertionError that shows the nearest requests, unless the bank had the requests that are expected. */
    public void verify(Expectation expectation) {
        verify(expectation.members());
    }

    /** Throws an AssertionError unless the bank had a request for each expectation, in this order. */
    public void verifyInOrder(Expectation... expectations) {
        verify(Map.of("inOrder", expectations));
    }

    /** Waits for the requests that are expected, at most two minutes, and then does as {@link #verify}. */
    public void eventually(Duration within, Expectation expectation) {
        verify(Json.with(expectation.members(), "within", Json.duration(within)));
    }

    private void verify(Map<String, Object> members) {
        call("POST", "/journal/verify", Json.with(members, "after", since));
    }

    /** Throws an AssertionError if a request was odd, though that had no influence on its answer. */
    public void noLints() {
        requireNone(verdict("&lints=refuse").findings().stream().filter(f -> f.kind().equals("lint")).toList());
    }

    /** Returns what the bank says of the test so far. Of the explored bank, it is about the test's own faults. */
    private Api.Verdict verdict(String query) {
        var path = "/v1/sandboxes/" + name + "/verdict?after=" + since + query;
        var all = Json.convert(simulator.call("GET", path, null), Api.Verdict.class);
        return new Api.Verdict(own(all.findings()), own(all.notes()), all.passed(), all.requests());
    }

    private List<Api.Finding> own(List<Api.Finding> said) {
        return said.stream().filter(one ->
                plan == null || !one.kind().startsWith("fault-") || injected.containsKey(one.name())).toList();
    }

    /** Fails the test if there are findings. The stack of the error leads to where the fault was injected. */
    private void requireNone(List<Api.Finding> findings) {
        if (findings.isEmpty()) return;
        var texts = findings.stream().map(Api.Finding::text).collect(Collectors.joining("\n"));
        var failure = Failure.of(texts, null, null);
        var stack = injected.get(findings.get(0).name());
        if (stack != null) failure.setStackTrace(stack);
        throw failure;
    }

    /** Returns the last exchanges, at most a thousand, the newest last. */
    public List<Api.Exchange> journal() {
        return journal("");
    }

    /** Returns the last exchanges of an operation or, such as "groups.*", of a family: at most a thousand. */
    public List<Api.Exchange> journal(String operation) {
        var query = operation.isEmpty() ? "" : "&q=operation:" + escape(operation);
        var page = call("GET", "/journal?limit=1000" + query);
        return Stream.of(Json.convert(page.get("exchanges"), Api.Exchange[].class))
                .filter(exchange -> Long.parseLong(exchange.id()) > Long.parseLong(since)).toList();
    }

    /** Returns what the bank says of the test, and its last requests, each with the decision behind its answer. */
    public String report() {
        return report("");
    }

    /** Returns the report without what a text says already. */
    private String report(String known) {
        var verdict = verdict("");
        var lines = Stream.of(verdict.findings(), verdict.notes()).flatMap(List::stream)
                .filter(said -> !known.contains(said.text()))
                .map(said -> said.text() + (isNoRequest(said) ? ". Does the app use the bank's baseUrl()?" : ""))
                .collect(Collectors.toCollection(ArrayList::new));
        if (verdict.requests() > 0) {
            var limit = Math.min(verdict.requests(), 20);
            var requests = call("GET", "/journal?format=text&limit=" + limit).asText();
            lines.add("the requests of the bank:\n" + requests.stripTrailing());
        }
        return String.join("\n", lines);
    }

    private static boolean isNoRequest(Api.Finding note) {
        return note.kind().equals("no-request");
    }

    /** Shows the report in the stack trace of a failure. */
    void showReport(Throwable failure) {
        if (isRemoved) return; // by the test itself
        try {
            Failure.show(report(String.valueOf(failure.getMessage())), failure);
        } catch (BankException e) { // the failure itself is what matters
            Failure.show("the bank's requests are lost: " + e.getMessage(), failure);
        }
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
    public Api.State state() {
        return Json.convert(call("GET", "/state"), Api.State.class);
    }

    /** Changes an institution, and returns it. Like the other patches, it applies no rule of the bank. */
    public Api.InstitutionRow patchInstitution(String institutionId, InstitutionPatch patch) {
        return Json.convert(call("PATCH", path(institutionId), patch), Api.InstitutionRow.class);
    }

    /** Changes a user, and returns the user. */
    public Api.User patchUser(String institutionId, String hostUserId, UserPatch patch) {
        return Json.convert(call("PATCH", path(institutionId, hostUserId), patch), Api.User.class);
    }

    /** Changes an account, and returns it. */
    public Api.Account patchAccount(String institutionId, String hostUserId, String accountId, AccountPatch patch) {
        var path = path(institutionId, hostUserId) + "/accounts/" + escape(accountId);
        return Json.convert(call("PATCH", path, patch), Api.Account.class);
    }

    /** Adds an active user that has accepted all disclosures, and returns the user. */
    public Api.User newUser(String institutionId, NewUser user) {
        return Json.convert(call("POST", path(institutionId) + "/users", user), Api.User.class);
    }

    /** Adds a group without participants, and returns it. */
    public Api.Group newGroup(String institutionId, NewGroup group) {
        return Json.convert(call("POST", path(institutionId) + "/groups", group), Api.Group.class);
    }

    /** Saves the bank and its clock, and returns a name for {@link #restore} and {@link #diff(String)}: 100 at most. */
    public String snapshot() {
        synchronized (snapshots) {
            var name = "test-" + (snapshots.size() + 1);
            call("POST", "/snapshots", Map.of("name", name));
            snapshots.add(name);
            return name;
        }
    }

    /** Returns the bank and its clock to a snapshot. Faults and journal stay. */
    public void restore(String snapshot) {
        call("POST", "/snapshots/" + escape(snapshot) + "/restore");
    }

    /** Returns the rows that differ from the start. */
    public List<Api.Change> diff() {
        return diff("start");
    }

    /** Returns the rows that differ from a snapshot. */
    public List<Api.Change> diff(String snapshot) {
        return Json.convert(call("GET", "/diff?since=" + escape(snapshot)), Api.Diff.class).changes();
    }

    /**
     * Returns another bank that starts as this one is now, without injected faults. It is closed with this one, at the
     * latest.
     */
    public Bank fork() {
        var fork = new Bank(simulator, call("POST", "/fork"), null, true);
        forks.add(fork);
        return fork;
    }

    /** Returns the time that the bank's clock shows. */
    public Instant now() {
        return Instant.parse(call("GET", "/clock").get("now").asText());
    }

    /** Sets the bank's clock. */
    public void setClock(Instant time) {
        call("POST", "/clock", Map.of("set", time.toString()));
    }

    /** Moves the bank's clock, and returns the time that it shows then. */
    public Instant advance(Duration by) {
        return Instant.parse(call("POST", "/clock", Map.of("advance", Json.duration(by))).get("now").asText());
    }

    /** Returns which answers of the interface the bank has given, and how often. */
    public Api.Coverage coverage() {
        return Json.convert(simulator.call("GET", "/v1/coverage?sandbox=" + name, null), Api.Coverage.class);
    }

    /**
     * Puts everything back to the start: bank, faults, journal and clock. Throws an AssertionError if a fault that was
     * injected had no effect.
     */
    public void reset() {
        try {
            judgeFaults("POST", "/reset");
        } finally {
            if (plan != null) begin();
        }
    }

    /** Makes any other call of the control API about this bank, such as {@code bank.call("GET", "/keys")}. */
    public JsonNode call(String method, String path) {
        return call(method, path, null);
    }

    /**
     * Makes any other call of the control API about this bank. Throws an AssertionError if the answer is a verdict or
     * a verification that failed.
     *
     * @param path what follows /v1/sandboxes/NAME
     * @param body a map, a record, any other value that Jackson writes, JSON text, or null
     * @return the JSON of the answer, or a text node if the answer is text
     */
    public JsonNode call(String method, String path, Object body) {
        if (isRemoved) throw new BankException("the bank is closed", 0);
        if (plan == null && !isFork && System.nanoTime() - renewedAt > RENEWAL.toNanos()) {
            renewedAt = System.nanoTime();
            simulator.call("PATCH", "/v1/sandboxes/" + name, Map.of("ttl", TTL));
        }
        var answer = simulator.call(method, "/v1/sandboxes/" + name + path, body);
        if (!answer.path("verified").asBoolean(true)) {
            throw Failure.of(answer.get("text").asText(), answer.get("expected"), answer.get("actual"));
        }
        if (!answer.path("passed").asBoolean(true)) {
            requireNone(Arrays.asList(Json.convert(answer.get("findings"), Api.Finding[].class)));
        }
        return answer;
    }

    /**
     * Removes the bank. Throws an AssertionError if a fault that was injected had no effect. Notes go to
     * System.err, such as that the client has repeated a request by itself. A second call does nothing.
     */
    @Override
    public void close() {
        if (closed.getAndSet(true)) return;
        try {
            for (var fork : List.copyOf(forks)) fork.close();
            var verdict = verdict("");
            requireNone(verdict.findings());
            for (var note : verdict.notes()) if (!isNoRequest(note)) System.err.println("banksim: " + note.text());
        } catch (AssertionError | BankException e) {
            showReport(e);
            try {
                remove();
            } catch (BankException other) {
                e.addSuppressed(other);
            }
            throw e;
        }
        remove();
    }

    /** Removes the bank of a test that failed, whatever became of its faults. It can be called again. */
    public void discard() {
        if (closed.getAndSet(true)) return;
        try {
            remove();
        } catch (BankException e) {
            // the simulator removes it later, or has ended
        }
    }

    private void remove() {
        try {
            if (plan == null) call("DELETE", "");
            else leave();
        } finally {
            isRemoved = true;
        }
    }

    /** Ends the use of the explored bank by the test. */
    private void leave() {
        endExplored();
        try {
            clearFaults();
        } catch (AssertionError | BankException e) {
            // close has told it
        }
        for (var snapshot : snapshots) call("DELETE", "/snapshots/" + snapshot);
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
