package io.github.digitalbankingsim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;

class BankExtensionTest {
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
    static class Shared {
        Shared(Bank bank) {}

        @Test
        void passes() {}
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
        var parameters = method.equals("passes") && type == Shared.class ? "" : Bank.class.getName();
        var request = LauncherDiscoveryRequestBuilder.request()
                .selectors(selectMethod(type, method, parameters)).build();
        var listener = new SummaryGeneratingListener();
        LauncherFactory.create().execute(request, listener);
        var summary = listener.getSummary();
        assertEquals(1, summary.getTestsStartedCount());
        var trace = new StringWriter();
        for (var failure : summary.getFailures()) failure.getException().printStackTrace(new PrintWriter(trace, true));
        return trace.toString();
    }

    private static void requireRemoved(Bank bank) {
        assertEquals(404, assertThrows(BankException.class, bank::state).status());
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
        assertTrue(trace.contains("Suppressed: the bank's last exchanges"), trace);
        assertTrue(trace.contains("1  POST " + App.GROUPS + " -> 200 OK"), trace);
        assertFalse(trace.contains("never fired"), trace);
        requireRemoved(Cases.last);
    }

    @Test
    void aFaultThatNeverFired() {
        var trace = run(Cases.class, "leavesAFault");
        assertTrue(trace.startsWith("java.lang.AssertionError: fault fault-1 (groups.list, nth 2) never fired: "
                + "1 request matched it\n\tinjected at "), trace);
        assertTrue(trace.contains("BankExtensionTest$Cases.leavesAFault(BankExtensionTest.java:"), trace);
        assertTrue(trace.contains("1  GET " + App.GROUPS + " -> 200 OK"), trace);
        requireRemoved(Cases.last);
    }

    @Test
    void aBankThatIsGoneHidesNoFailure() {
        var trace = run(Cases.class, "closesItsBank");
        assertTrue(trace.startsWith("org.opentest4j.AssertionFailedError: the app is wrong\n"), trace);
        assertTrue(trace.contains("there is no sandbox"), trace);
    }

    @Test
    void scenarios() {
        assertEquals("", run(Scenarios.class, "ofTheClass"));
        assertEquals("", run(Scenarios.class, "ofTheMethod"));
        assertEquals("", run(Scenarios.Inner.class, "ofTheEnclosingClass"));
    }

    @Test
    void aBankOfSeveralTestsIsRefused() {
        var trace = run(Shared.class, "passes");
        assertTrue(trace.contains("a Bank belongs to one test"), trace);
    }
}
