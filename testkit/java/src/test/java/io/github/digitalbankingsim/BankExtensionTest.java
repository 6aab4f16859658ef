package io.github.digitalbankingsim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;

class BankExtensionTest {
    private static final String FILE = "BankExtensionTest.yaml";

    /** Tests that JUnit runs within the tests below. */
    @ExtendWith(BankExtension.class)
    static class Cases {
        static Bank last;
        private Bank prepared;

        @BeforeEach
        void prepare(Bank bank) {
            prepared = last = bank;
        }

        @AfterEach
        void finish(Bank bank) {
            assertSame(prepared, bank);
        }

        @Test
        void passes(Bank bank) {
            assertSame(prepared, bank);
        }

        @Test
        void fails(Bank bank) throws Exception {
            bank.inject(Fault.on("groups.list").nth(2).then(Then.status(503)));
            App.createGroup(bank, "Night owls");
            fail("the app is wrong");
        }

        @Test
        void leavesAFault(Bank bank) throws Exception {
            bank.inject(Fault.on("groups.list").nth(2).then(Then.status(503)));
            App.listGroups(bank);
        }

        @Test
        void closesItsBank(Bank bank) {
            bank.close();
            fail("the app is wrong");
        }
    }

    @ExtendWith(BankExtension.class)
    static class InConstructor {
        InConstructor(Bank bank) {}

        @Test
        void passes() {}
    }

    /** As with Spring, whose methods with @DynamicPropertySource want the URL before any test. */
    static class Base {
        @RegisterExtension
        static final BankExtension BANKS = BankExtension.forClass(Bank.with().seed(7));
    }

    static class OfTheClass extends Base {
        static Bank last;
        final String url = BANKS.bank().baseUrl();

        @BeforeAll
        static void prepare(Bank bank) {
            last = bank;
        }

        @Test
        void passes(Bank bank) throws Exception {
            assertSame(last, bank);
            assertEquals(url, bank.baseUrl());
            assertEquals(7, bank.call("GET", "").get("seed").asLong());
            App.createGroup(bank, "Night owls");
        }

        @Nested
        class Inner {
            @Test
            void fails() throws Exception {
                App.listGroups(BANKS.bank());
                fail("the app is wrong");
            }
        }
    }

    static class InAnInstance {
        @RegisterExtension
        final BankExtension banks = BankExtension.forClass();

        @Test
        void passes() {}
    }

    static class LeavesAFault extends Base {
        @Test
        void passes(Bank bank) {
            bank.inject(Fault.on("groups.list").then(Then.status(503)));
        }

        @Test
        @Scenario("flaky")
        void wantsAnother() {}
    }

    @ExtendWith(BankExtension.class)
    @Scenario(value = "flaky", seed = 7)
    static class Scenarios {
        @Test
        void ofTheClass(Bank bank) {
            assertEquals("flaky 7", described(bank));
        }

        @Test
        @Scenario(yaml = "name: mine\nextends: base\nseed: 3")
        void ofTheMethod(Bank bank) {
            assertEquals("mine 3", described(bank));
        }

        @Test
        @Scenario(file = FILE)
        void ofAFile(Bank bank) {
            assertEquals("filed 4", described(bank));
        }

        @Test
        @Scenario(resource = FILE, seed = 5)
        void ofAResource(Bank bank) {
            assertEquals("packed 5", described(bank));
        }

        @Test
        @Scenario(value = "flaky", yaml = "name: mine")
        void ofTwo(Bank bank) {}

        @Test
        @Scenario(resource = "/nowhere.yaml")
        void ofNothing(Bank bank) {}

        @Nested
        class Inner {
            @Test
            void ofTheEnclosingClass(Bank bank) {
                assertEquals("flaky 7", described(bank));
            }
        }

        private static String described(Bank bank) {
            var sandbox = bank.call("GET", "");
            return sandbox.get("scenario").asText() + " " + sandbox.get("seed").asLong();
        }
    }

    /** Runs a test, and returns its failure as a stack trace, or "" if it passes. */
    private static String run(Class<?> type, String method) {
        return run(1, selectMethod(type, method, type == InConstructor.class ? "" : Bank.class.getName()));
    }

    private static String run(int tests, DiscoverySelector selector) {
        var listener = new SummaryGeneratingListener();
        var request = LauncherDiscoveryRequestBuilder.request().selectors(selector).build();
        LauncherFactory.create().execute(request, listener);
        var summary = listener.getSummary();
        assertEquals(tests, summary.getTestsStartedCount());
        var trace = new StringWriter();
        for (var failure : summary.getFailures()) failure.getException().printStackTrace(new PrintWriter(trace, true));
        return trace.toString();
    }

    private static void requireRemoved(Bank bank) {
        assertEquals("the bank is closed", assertThrows(BankException.class, bank::state).getMessage());
    }

    @Test
    void aTestThatPasses() {
        assertEquals("", run(Cases.class, "passes"));
        requireRemoved(Cases.last);
    }

    @Test
    void aTestThatFailsShowsTheExchanges() {
        var trace = run(Cases.class, "fails");
        assertTrue(trace.startsWith("org.opentest4j.AssertionFailedError: the app is wrong\n"), trace);
        assertTrue(trace.contains("Suppressed: BankExtensionTest.java:"), trace);
        assertTrue(trace.contains("the fault fault-1 (groups.list, nth 2) never fired: 0 requests matched it"), trace);
        assertTrue(trace.contains("the requests of the bank:\n1  POST " + App.GROUPS + " -> 200 OK"), trace);
        requireRemoved(Cases.last);
    }

    @Test
    void aFaultThatNeverFired() {
        var trace = run(Cases.class, "leavesAFault");
        assertTrue(trace.matches("(?s)org.opentest4j.AssertionFailedError: BankExtensionTest.java:[0-9]+: the fault "
                + "fault-1 \\(groups.list, nth 2\\) never fired: 1 request matched it.*"), trace);
        assertTrue(trace.contains("BankExtensionTest$Cases.leavesAFault(BankExtensionTest.java:"), trace);
        assertTrue(trace.contains("1  GET " + App.GROUPS + " -> 200 OK"), trace);
        requireRemoved(Cases.last);
    }

    @Test
    void aBankThatIsGoneHidesNoFailure() {
        var trace = run(Cases.class, "closesItsBank");
        assertTrue(trace.startsWith("org.opentest4j.AssertionFailedError: the app is wrong\n"), trace);
        assertFalse(trace.contains("there is no sandbox"), trace);
    }

    @Test
    void aBankOfAClass() {
        var trace = run(2, selectClass(OfTheClass.class));
        assertTrue(trace.startsWith("org.opentest4j.AssertionFailedError: the app is wrong\n"), trace);
        assertTrue(trace.contains("1  POST " + App.GROUPS + " -> 200 OK"), trace);
        assertTrue(trace.contains("2  GET " + App.GROUPS + " -> 200 OK"), trace);
        requireRemoved(OfTheClass.last);
    }

    @Test
    void aBankOfAClassIsJudged() {
        var trace = run(2, selectClass(LeavesAFault.class));
        assertTrue(trace.contains("the fault fault-1 (groups.list) never fired: 0 requests matched it"), trace);
        assertTrue(trace.contains("a bank of a class has no @Scenario"), trace);
        trace = run(1, selectClass(InAnInstance.class));
        assertTrue(trace.contains("the field of a bank of a class has to be static"), trace);
        assertTrue(assertThrows(IllegalStateException.class, () -> new BankExtension().bank()).getMessage()
                .contains("use forClass"));
    }

    @Test
    void scenarios() {
        assertEquals("", run(Scenarios.class, "ofTheClass"));
        assertEquals("", run(Scenarios.class, "ofTheMethod"));
        assertEquals("", run(Scenarios.Inner.class, "ofTheEnclosingClass"));
        assertTrue(run(Scenarios.class, "ofTwo").contains("@Scenario has more than one scenario"));
        assertTrue(run(Scenarios.class, "ofNothing").contains("the class path has no resource \"/nowhere.yaml\""));
    }

    @Test
    void scenariosOfFiles() throws Exception {
        var trace = run(Scenarios.class, "ofAFile");
        assertTrue(trace.contains("the scenario can't be read: java.nio.file.NoSuchFileException: " + FILE), trace);
        var resource = Path.of(BankExtensionTest.class.getResource("BankExtensionTest.class").toURI())
                .resolveSibling(FILE);
        try {
            Files.writeString(Path.of(FILE), "name: filed\nextends: base\nseed: 4");
            Files.writeString(resource, "name: packed\nextends: base");
            assertEquals("", run(Scenarios.class, "ofAFile"));
            assertEquals("", run(Scenarios.class, "ofAResource"));
        } finally {
            Files.deleteIfExists(Path.of(FILE));
            Files.deleteIfExists(resource);
        }
    }

    @Test
    void aBankOfSeveralTestsIsRefused() {
        var trace = run(InConstructor.class, "passes");
        assertTrue(trace.contains("a Bank belongs to one test"), trace);
    }
}
