package io.github.digitalbankingsim;

import static io.github.digitalbankingsim.App.ask;
import static io.github.digitalbankingsim.App.createGroup;
import static io.github.digitalbankingsim.App.listGroups;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIfEnvironmentVariable;
import org.junit.jupiter.api.extension.ExtendWith;
import org.opentest4j.AssertionFailedError;

/** The same tests in each language: they show what a test kit promises. */
@ExtendWith(BankExtension.class)
class BankTest {
    private static long active(Bank bank) {
        return bank.state().institutions().get(0).groups().stream()
                .filter(group -> group.groupStatus().equals("ACTIVE")).count();
    }

    private static void refused(String why, Runnable call) {
        var refusal = assertThrows(BankException.class, call::run).getMessage();
        assertTrue(refusal.contains(why), refusal);
        assertFalse(refusal.contains("http:"), refusal);
    }

    @Test
    void twentyTestsAtATimeKeepApart() throws Exception {
        var tests = new ArrayList<Callable<Void>>();
        for (int i = 0; i < 20; i++) {
            int count = i;
            tests.add(() -> {
                try (var bank = Bank.with().seed(7).start()) {
                    for (int n = 0; n < count; n++) assertEquals(200, createGroup(bank, "Group " + n));
                    bank.verify(Expectation.of("groups.create").exactly(count));
                    return null;
                }
            });
        }
        var pool = Executors.newFixedThreadPool(20);
        for (var test : pool.invokeAll(tests)) test.get();
        pool.shutdown();
    }

    @Test
    void aLostAnswer(Bank bank) throws Exception {
        bank.inject(Fault.on("groups.create").first(1).afterOperation().then(Then.reset()));
        var before = active(bank);
        assertEquals(0, createGroup(bank, "Night owls"));
        assertEquals(before + 1, active(bank));
        assertEquals(400, createGroup(bank, "Night owls"));
    }

    @Test
    @Scenario(yaml = "extends: retail\nclock: {run: false}")
    void aTokenExpiresByTheClock(Bank bank) throws Exception {
        var token = bank.token(new TokenOptions().expiresIn(Duration.ofMinutes(15)));
        assertEquals(200, listGroups(bank, token));
        var start = bank.advance(Duration.ZERO);
        var by = Duration.ofMinutes(16).plusNanos(1);
        assertEquals(start.plus(by), bank.advance(by));
        assertEquals(401, listGroups(bank, token));
        assertEquals(start, bank.advance(by.negated()));
    }

    @Test
    void aFaultFiresAsOftenAsItSays(Bank bank) throws Exception {
        bank.inject(Fault.on("groups.list").first(2).then(Then.status(503)));
        assertEquals(List.of(503, 503, 200, 200),
                List.of(listGroups(bank), listGroups(bank), listGroups(bank), listGroups(bank)));
        bank.verify(Expectation.of("groups.list").status(503).exactly(2));
        bank.clearFaults();
        assertTrue(bank.call("GET", "/faults").get("faults").isEmpty());
    }

    @Test
    void aVerificationThatFailsSaysWhy(Bank bank) throws Exception {
        createGroup(bank, "Night owls");
        bank.verify(Expectation.of("groups.create").status(200).body(Map.of("groupName", "Night owls")).exactly(1));
        var failed = assertThrows(AssertionFailedError.class, () ->
                bank.verify(Expectation.of("groups.create").body("{\"groupName\": \"Day birds\"}")));
        assertEquals("expected requests (operation \"groups.create\", body.groupName \"Day birds\", at least 1): "
                + "the bank had 0 such requests\n\tnear miss: exchange 1, groups.create\n"
                + "\t\tbody.groupName is \"Night owls\", not \"Day birds\"", failed.getMessage());
        assertEquals(Json.read("""
                {"operation": "groups.create", "body": {"groupName": "Day birds"}, "atLeast": 1}"""),
                Json.read(failed.getExpected().getStringRepresentation()));
        assertEquals(Json.read("""
                {"operation": "groups.create", "body": {"groupName": "Night owls"}, "atLeast": 0}"""),
                Json.read(failed.getActual().getStringRepresentation()));
    }

    @Test
    void anOrder(Bank bank) throws Exception {
        createGroup(bank, "Night owls");
        listGroups(bank);
        bank.verifyInOrder(Expectation.of("groups.create"), Expectation.of("groups.list"));
        assertThrows(AssertionFailedError.class, () ->
                bank.verifyInOrder(Expectation.of("groups.list"), Expectation.of("groups.create")));
    }

    @Test
    void aRequestInTheBackground(Bank bank) throws Exception {
        var app = new Thread(() -> {
            try {
                Thread.sleep(100);
                listGroups(bank);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        app.start();
        bank.eventually(Duration.ofMinutes(1), Expectation.of("groups.list").exactly(1));
        app.join();
        assertThrows(AssertionFailedError.class, () ->
                bank.eventually(Duration.ofMillis(1), Expectation.of("groups.create")));
    }

    @Test
    void oddRequests(Bank bank) throws Exception {
        listGroups(bank);
        bank.noLints();
        ask(bank, "GET", App.GROUPS + "?sise=5", null, "demo-token");
        var failed = assertThrows(AssertionError.class, bank::noLints).getMessage();
        assertTrue(failed.contains("exchange 2, groups.list: "), failed);
    }

    @Test
    void conditionsOfAnExpectation(Bank bank) throws Exception {
        createGroup(bank, "Night owls");
        var created = Expectation.of("POST", App.GROUPS).dialect("document").header("Content-Type", "application/json")
                .withoutHeader("X-Missing").withoutQuery("debug").atLeast(1).atMost(1);
        bank.verify(created);
        assertThrows(AssertionError.class, () -> bank.verify(created.query("debug", "1")));
        assertThrows(AssertionError.class, () -> bank.verify(created.withoutHeader("Content-Type")));
        ask(bank, "GET", App.GROUPS + "?size=5", null, "demo-token");
        bank.verify(Expectation.of("groups.list").query("size", "5"));
        assertThrows(AssertionError.class, () -> bank.verify(Expectation.of("groups.list").withoutQuery("size")));
        var without = new HashMap<String, Object>();
        without.put("groupDescription", null);
        bank.verify(Expectation.of("groups.create").body(without));
        without.put("groupName", null);
        assertThrows(AssertionError.class, () -> bank.verify(Expectation.of("groups.create").body(without)));
    }

    @Test
    void whatNoRequestCanFulfilIsRefused(Bank bank) {
        refused("unknown operation \"groups.lst\": did you mean \"groups.list\"?", () ->
                bank.verify(Expectation.of("groups.lst").exactly(0)));
        refused("nothing was changed\n\tunknown operation", () ->
                bank.inject(Fault.on("groups.lst").then(Then.status(500))));
        refused("did you mean \"retail\"", () -> Bank.with().scenario("retial").start());
    }

    @Test
    void aChangeOfTheState(Bank bank) {
        var patched = bank.patchUser("02688", "1001",
                new UserPatch().active(false).disclosureStatus("NOT_ACCEPTED"));
        var user = bank.state().user("1001");
        assertEquals(user, patched);
        assertFalse(user.active());
        assertEquals("NOT_ACCEPTED", user.disclosures().get(0).institutionDisclosureStatus());
        var account = user.accounts().get(0);
        var changed = bank.patchAccount("02688", "1001", account.accountId(),
                new AccountPatch().activateEstatement(!account.activateEstatement()));
        assertNotEquals(account.activateEstatement(), changed.activateEstatement());
        assertEquals(changed, bank.state().account(account.accountId()));
        var multistatement = bank.state().institutions().get(0).multistatement();
        assertEquals(!multistatement, bank.patchInstitution("02688",
                new InstitutionPatch().multistatement(!multistatement)).multistatement());
        assertNotEquals(multistatement, bank.state().institutions().get(0).multistatement());
        refused("9999", () -> bank.patchUser("02688", "9999", new UserPatch().active(false)));
        assertEquals("the bank has no user \"9999\"",
                assertThrows(NoSuchElementException.class, () -> bank.state().user("9999")).getMessage());
    }

    @Test
    void newRows(Bank bank) {
        var user = bank.newUser("02688", new NewUser("1099").username("nora").accounts("acc-1", "acc-2"));
        assertEquals(user, bank.state().user("1099"));
        assertEquals("nora", user.username());
        assertEquals(2, user.accounts().size());
        assertNull(bank.newUser("02688", new NewUser("1100")).username());
        var group = bank.newGroup("02688", new NewGroup("Night owls"));
        assertEquals(group, bank.state().group("Night owls"));
        assertEquals(List.of(), group.participants());
        assertEquals("up late", bank.newGroup("02688", new NewGroup("Owls", "up late")).groupDescription());
        assertEquals(4, bank.diff().stream().filter(change -> change.before() == null
                && change.row().matches("(users|groups)/.*")).count());
    }

    @Test
    void snapshotsAndForks(Bank bank) throws Exception {
        var empty = bank.snapshot();
        createGroup(bank, "Night owls");
        var one = bank.snapshot();
        assertEquals(List.of(), bank.diff(one));
        var change = bank.diff(empty).get(0);
        assertNull(change.before());
        assertEquals("Night owls", change.after().get("groupName").asText());
        try (var fork = bank.fork()) {
            assertNotEquals(bank.baseUrl(), fork.baseUrl());
            assertEquals(bank.state(), fork.state());
            createGroup(fork, "Day birds");
            bank.restore(empty);
            assertEquals(List.of(), bank.diff());
            assertEquals("Day birds", fork.state().group("Day birds").groupName());
        }
    }

    @Test
    void theClockIsSet(Bank bank) {
        var time = Instant.parse("2026-03-01T12:00:00Z");
        bank.setClock(time);
        assertTrue(Duration.between(time, bank.now()).compareTo(Duration.ofMinutes(1)) < 0);
        assertFalse(bank.now().isBefore(time));
    }

    @Test
    void whatWasCovered(Bank bank) throws Exception {
        listGroups(bank);
        assertTrue(bank.coverage().runs().get(0).points().stream()
                .anyMatch(point -> point.operation().equals("groups.list") && point.byBank() == 1));
    }

    @Test
    void pagesOfOtherOrigins() throws Exception {
        try (var bank = Bank.with().cors("http://localhost:*").start()) {
            var request = HttpRequest.newBuilder(URI.create(bank.baseUrl() + App.GROUPS)).header("transactionId", "t-1")
                    .header("Origin", "http://localhost:3000").build();
            assertEquals("http://localhost:3000", App.HTTP.send(request, BodyHandlers.discarding()).headers()
                    .firstValue("Access-Control-Allow-Origin").orElseThrow());
        }
    }

    @Test
    void aResetReturnsToTheStart(Bank bank) throws Exception {
        var before = active(bank);
        createGroup(bank, "Night owls");
        assertEquals("Night owls", bank.state().group("Night owls").groupName());
        bank.reset();
        assertEquals(before, active(bank));
        assertEquals(List.of(), bank.journal());
    }

    @Test
    void whyARequestWasRefused(Bank bank) throws Exception {
        refused("the bank had no request", bank::why);
        listGroups(bank, "nobody-s");
        assertTrue(bank.why().contains(" 401 2003\n"), bank.why());
        assertEquals(bank.why(), bank.why("1"));
        assertTrue(bank.report().contains("GET " + App.GROUPS + " -> 401 Unauthorized"), bank.report());
    }

    @Test
    void theJournalIsTyped(Bank bank) throws Exception {
        bank.inject(Fault.on("groups.create").named("late").then(Then.delay(Duration.ofMillis(1))));
        createGroup(bank, "Night owls");
        listGroups(bank);
        assertEquals(2, bank.journal().size());
        var exchange = bank.journal("groups.create").get(0);
        assertEquals("1", exchange.id());
        assertEquals("{\"groupName\":\"Night owls\"}", exchange.request().body());
        assertEquals("application/json", exchange.request().header("content-type").orElseThrow());
        assertEquals(200, exchange.response().status());
        assertEquals("accepted", exchange.decision().outcome());
        assertTrue(exchange.changed());
        assertEquals(List.of("late"), exchange.fault().fired());
        assertEquals(1000, exchange.fault().delayMicros());
        assertNull(bank.journal("groups.list").get(0).fault());
    }

    @Test
    @Scenario(seed = 4)
    void numbersAreTyped(Bank bank) {
        assertEquals("4", bank.call("GET", "").get("seed").asText());
        assertTrue(bank.call("GET", "").get("seed").isInt());
    }

    @Test
    void tokens(Bank bank) throws Exception {
        assertEquals(200, listGroups(bank, bank.token()));
        var grant = bank.login("1001");
        assertEquals("1001", grant.hostUserId());
        assertFalse(grant.refreshToken().isEmpty());
        assertEquals("active", bank.tokenStatus(grant.accessToken()));
        assertEquals("unknown", bank.tokenStatus("nobody-s"));
        refused("client is not one of the clients of the bank", () ->
                bank.token(new TokenOptions().client("nobody")));
        refused("there is no institution \"1\"", () ->
                bank.token(new TokenOptions().institution("1")));
    }

    @Test
    @DisabledIfEnvironmentVariable(named = "BANKSIM_CONTROL", matches = ".+", disabledReason = "it may have no https")
    void https(Bank bank) throws Exception {
        var authority = CertificateFactory.getInstance("X.509")
                .generateCertificate(new ByteArrayInputStream(bank.caCert().getBytes()));
        var trusted = KeyStore.getInstance(KeyStore.getDefaultType());
        trusted.load(null, null);
        trusted.setCertificateEntry("bank", authority);
        var managers = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        managers.init(trusted);
        var context = SSLContext.getInstance("TLS");
        context.init(null, managers.getTrustManagers(), null);
        var request = HttpRequest.newBuilder(URI.create(bank.httpsUrl().orElseThrow() + App.GROUPS))
                .header("Authorization", "Bearer demo-token").header("transactionId", "t-1").build();
        var client = HttpClient.newBuilder().sslContext(context).proxy(HttpClient.Builder.NO_PROXY).build();
        assertEquals(200, client.send(request, BodyHandlers.discarding()).statusCode());
        assertEquals(1, bank.journal().size());
    }

    @Test
    void aFaultThatNeverFiresFailsTheTest() throws Exception {
        var bank = Bank.start();
        bank.inject(Fault.on("groups.list").nth(2).then(Then.status(503)));
        listGroups(bank);
        var failed = assertThrows(AssertionFailedError.class, bank::close);
        assertTrue(failed.getMessage().matches("BankTest.java:[0-9]+: the fault fault-1 \\(groups.list, nth 2\\) "
                + "never fired: 1 request matched it; if that is right.*"), failed.getMessage());
        assertEquals("aFaultThatNeverFiresFailsTheTest", failed.getStackTrace()[0].getMethodName());
        var report = failed.getSuppressed()[0].getMessage();
        assertTrue(report.startsWith("the requests of the bank:\n1  GET " + App.GROUPS + " -> 200 OK\n"), report);
        refused("the bank is closed", bank::state);
        bank.close();
        bank.discard();
    }

    @Test
    void aFaultThatNeverFiresFailsAReset(Bank bank) {
        bank.inject(Fault.on("groups.*").named("idle").then(Then.close()), Fault.on("jobs.get").optional()
                .then(Then.close()));
        assertTrue(assertThrows(AssertionError.class, bank::reset).getMessage()
                .contains("the fault idle (groups.*) never fired: 0 requests matched it"));
        bank.reset();
    }

    @Test
    void aBankThatIsDiscarded() {
        var bank = Bank.start();
        bank.inject(Fault.on("groups.*").then(Then.close()));
        assertTrue(bank.report().matches("BankTest.java:[0-9]+: the fault fault-1 \\(groups.\\*\\) never fired: .*\n"
                + "the bank had no request. Does the app use the bank's baseUrl\\(\\)\\?"), bank.report());
        bank.discard();
        refused("the bank is closed", bank::state);
        bank.close();
    }

    @Test
    void anAnswerThatFailsTheTest(Bank bank) {
        bank.inject(Fault.on("groups.*").named("idle").then(Then.close()));
        assertThrows(AssertionError.class, () -> bank.call("GET", "/verdict"));
        assertThrows(AssertionFailedError.class, () ->
                bank.call("POST", "/journal/verify", Expectation.of("groups.list")));
        assertThrows(AssertionError.class, () -> bank.call("DELETE", "/faults?verdict=true"));
    }
}
