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
        var failed = assertThrows(AssertionError.class, () ->
                bank.verify(Expectation.of("groups.create").body("{\"groupName\": \"Day birds\"}")));
        assertEquals("expected requests (operation \"groups.create\", body.groupName \"Day birds\", at least 1): "
                + "the bank had 0 such requests\n\tnear miss: exchange 1, groups.create\n"
                + "\t\tbody.groupName is \"Night owls\", not \"Day birds\"", failed.getMessage());
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
        refused("nothing was changed\n\tfaults:1:", () -> bank.inject(Fault.on("groups.lst").then(Then.status(500))));
        refused("did you mean \"retail\"", () -> Bank.with().scenario("retial").start());
    }

    @Test
    void aChangeOfTheState(Bank bank) {
        bank.patchUser("02688", "1001", new UserPatch().active(false).disclosureStatus("NOT_ACCEPTED"));
        var user = bank.state().user("1001");
        assertFalse(user.active());
        assertEquals("NOT_ACCEPTED", user.disclosures().get(0).institutionDisclosureStatus());
        var account = user.accounts().get(0);
        bank.patchAccount("02688", "1001", account.accountId(),
                new AccountPatch().activateEstatement(!account.activateEstatement()));
        assertNotEquals(account.activateEstatement(), bank.state().account(account.accountId()).activateEstatement());
        var multistatement = bank.state().institutions().get(0).multistatement();
        bank.patchInstitution("02688", new InstitutionPatch().multistatement(!multistatement));
        assertNotEquals(multistatement, bank.state().institutions().get(0).multistatement());
        refused("9999", () -> bank.patchUser("02688", "9999", new UserPatch().active(false)));
        assertEquals("the bank has no user \"9999\"",
                assertThrows(NoSuchElementException.class, () -> bank.state().user("9999")).getMessage());
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
        var active = Map.of("token", grant.accessToken());
        assertEquals("active", bank.call("POST", "/token-status", active).get("status").asText());
        refused("client is not one of the institution's clients", () ->
                bank.token(new TokenOptions().client("nobody")));
        refused("the bank has no institution \"1\" with a client", () ->
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
        var failed = assertThrows(AssertionError.class, bank::close).getMessage();
        assertTrue(failed.matches("fault fault-1 \\(groups.list, nth 2\\) never fired: 1 request matched it\n"
                + "\tinjected at .*BankTest.aFaultThatNeverFiresFailsTheTest\\(BankTest.java:[0-9]+\\)"), failed);
        refused("there is no sandbox", bank::state);
    }

    @Test
    void aFaultThatNeverFiresFailsAReset(Bank bank) {
        bank.inject(Fault.on("groups.*").named("idle").then(Then.close()));
        assertTrue(assertThrows(AssertionError.class, bank::reset).getMessage()
                .startsWith("fault idle (groups.*) never fired: 0 requests matched it\n"));
        bank.reset();
    }
}
