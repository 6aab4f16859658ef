package io.github.digitalbankingsim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIfEnvironmentVariable;

/** The same tests in each language: they show what a test kit promises. */
class BankTest {
    private static final String GROUPS = "/digitalbanking/groups/v3/groups";
    private static final HttpClient APP = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private static final AtomicInteger REQUESTS = new AtomicInteger();

    /** Sends a request of an app, and returns its status; 0: the answer was lost. */
    private static int ask(Bank bank, String method, String path, String body, String token) throws InterruptedException {
        var request = HttpRequest.newBuilder(URI.create(bank.baseUrl() + path)).header("Authorization", "Bearer " + token)
                .header("transactionId", "t-" + REQUESTS.incrementAndGet()).header("Content-Type", "application/json")
                .method(method, body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(body)).build();
        try {
            return APP.send(request, BodyHandlers.ofString()).statusCode();
        } catch (IOException e) {
            return 0;
        }
    }

    private static int list(Bank bank) throws InterruptedException {
        return ask(bank, "GET", GROUPS, null, "demo-token");
    }

    private static int createGroup(Bank bank, String name) throws InterruptedException {
        return ask(bank, "POST", GROUPS, "{\"groupName\": \"" + name + "\"}", "demo-token");
    }

    private static List<?> rows(Bank bank, String kind) {
        var institution = (Map<?, ?>) ((List<?>) bank.state().get("institutions")).get(0);
        return (List<?>) institution.get(kind);
    }

    private static long active(Bank bank) {
        return rows(bank, "groups").stream().filter(group -> ((Map<?, ?>) group).get("groupStatus").equals("ACTIVE")).count();
    }

    @Test
    void twentyTestsAtATimeKeepApart() throws Exception {
        var tests = new ArrayList<Callable<Void>>();
        for (int i = 0; i < 20; i++) {
            int count = i;
            tests.add(() -> {
                try (var bank = Bank.start("{\"seed\": 7}")) {
                    for (int n = 0; n < count; n++) assertEquals(200, createGroup(bank, "Group " + n));
                    bank.verify("{\"operation\": \"groups.create\", \"exactly\": " + count + "}");
                    return null;
                }
            });
        }
        var pool = Executors.newFixedThreadPool(20);
        for (var test : pool.invokeAll(tests)) test.get();
        pool.shutdown();
    }

    @Test
    void aLostAnswer() throws Exception {
        try (var bank = Bank.start()) {
            bank.inject("""
                    {"operation": "groups.create", "when": {"first": 1}, "then": {"connection": "reset"}, "phase": "after"}""");
            var before = active(bank);
            assertEquals(0, createGroup(bank, "Night owls"));
            assertEquals(before + 1, active(bank));
            assertEquals(400, createGroup(bank, "Night owls"));
        }
    }

    @Test
    void aTokenExpiresByTheClock() throws Exception {
        try (var bank = Bank.start()) {
            var minted = (Map<?, ?>) bank.call("POST", "/institutions/02688/tokens", """
                    {"client": "demo-app", "expiresIn": "15m"}""");
            var token = (String) minted.get("accessToken");
            assertEquals(200, ask(bank, "GET", GROUPS, null, token));
            var before = Instant.parse((String) ((Map<?, ?>) bank.call("GET", "/clock", null)).get("now"));
            assertTrue(!bank.advance(Duration.ofMinutes(16)).isBefore(before.plus(Duration.ofMinutes(16))));
            assertEquals(401, ask(bank, "GET", GROUPS, null, token));
        }
    }

    @Test
    void aFaultFiresAsOftenAsItSays() throws Exception {
        try (var bank = Bank.start()) {
            bank.inject("""
                    {"operation": "groups.list", "when": {"first": 2}, "then": {"status": 503}}""");
            assertEquals(List.of(503, 503, 200, 200), List.of(list(bank), list(bank), list(bank), list(bank)));
            bank.verify("""
                    {"operation": "groups.list", "status": 503, "exactly": 2}""");
        }
    }

    @Test
    void aVerificationThatFailsSaysWhy() throws Exception {
        try (var bank = Bank.start()) {
            createGroup(bank, "Night owls");
            bank.verify("""
                    {"operation": "groups.create", "body": {"groupName": "Night owls"}, "exactly": 1}""");
            var failed = assertThrows(AssertionError.class, () -> bank.verify("""
                    {"operation": "groups.create", "body": {"groupName": "Day birds"}}"""));
            assertEquals("expected requests (operation \"groups.create\", body.groupName \"Day birds\", at least 1): "
                    + "the bank had 0 such requests\n"
                    + "\tnear miss: exchange 1, groups.create\n\t\tbody.groupName is \"Night owls\", not \"Day birds\"",
                    failed.getMessage());
        }
    }

    private static void refused(String why, Runnable call) {
        var refusal = assertThrows(IllegalStateException.class, call::run).getMessage();
        assertTrue(refusal.contains(why), refusal);
    }

    @Test
    void whatNoRequestCanFulfilIsRefused() {
        try (var bank = Bank.start()) {
            refused("unknown operation \"groups.lst\": did you mean \"groups.list\"?", () -> bank.verify("""
                    {"operation": "groups.lst", "exactly": 0}"""));
            refused("did you mean \"groups.list\"", () -> bank.inject("""
                    {"operation": "groups.lst", "then": {"status": 500}}"""));
            refused("did you mean \"retail\"", () -> Bank.start("{\"scenario\": \"retial\"}"));
        }
    }

    @Test
    void aChangeOfTheState() {
        try (var bank = Bank.start()) {
            bank.patch("{\"active\": false}", "02688", "1001");
            for (var user : rows(bank, "users")) {
                if (((Map<?, ?>) user).get("hostUserId").equals("1001")) assertEquals(false, ((Map<?, ?>) user).get("active"));
            }
            refused("9999", () -> bank.patch("{\"active\": false}", "02688", "9999"));
        }
    }

    @Test
    void aResetReturnsToTheStart() throws Exception {
        try (var bank = Bank.start()) {
            var before = active(bank);
            createGroup(bank, "Night owls");
            bank.reset();
            assertEquals(before, active(bank));
            assertEquals(List.of(), bank.journal(""));
        }
    }

    @Test
    void whyARequestWasRefused() throws Exception {
        try (var bank = Bank.start()) {
            refused("the bank had no request", bank::why);
            ask(bank, "GET", GROUPS, null, "nobody-s");
            assertTrue(bank.why().contains("\n  Refused with 401"), bank.why());
            assertEquals(bank.why(), bank.why("1"));
        }
    }

    @Test
    void aFaultThatNeverFiresFailsTheTest() {
        var bank = Bank.start();
        bank.inject("""
                {"name": "idle", "operation": "groups.list", "then": {"status": 503}}""");
        var failed = assertThrows(AssertionError.class, bank::close);
        assertTrue(failed.getMessage().startsWith("the fault idle never fired: 0 requests"), failed.getMessage());
        refused("there is no sandbox", bank::state);
    }

    /** Starts a bank, prints its base URL, and waits to be killed. */
    public static void main(String[] args) throws InterruptedException {
        System.out.println(Bank.start().baseUrl());
        Thread.sleep(Duration.ofMinutes(1).toMillis());
    }

    @Test
    @DisabledIfEnvironmentVariable(named = "BANKSIM_CONTROL", matches = ".+", disabledReason = "it runs already")
    void theSimulatorEndsWithAProcessThatIsKilled() throws Exception {
        var classes = new ArrayList<String>();
        for (var each : List.of(Bank.class, BankTest.class)) {
            classes.add(each.getProtectionDomain().getCodeSource().getLocation().getPath());
        }
        var runner = new ProcessBuilder("java", "-cp", String.join(File.pathSeparator, classes), BankTest.class.getName()).start();
        var baseUrl = new BufferedReader(new InputStreamReader(runner.getInputStream())).readLine();
        var request = HttpRequest.newBuilder(URI.create(baseUrl)).timeout(Duration.ofSeconds(10)).build();
        APP.send(request, BodyHandlers.discarding());
        runner.destroyForcibly().waitFor();
        var end = Instant.now().plusSeconds(30);
        assertThrows(IOException.class, () -> {
            while (Instant.now().isBefore(end)) APP.send(request, BodyHandlers.discarding());
        });
    }
}
