package io.github.digitalbankingsim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The banks of tests that banksim explore runs. */
@ExtendWith(BankExtension.class)
class ExploreTest {
    /** Returns the simulator of tests for which a bank is explored. */
    private static Simulator exploring(Bank bank) {
        return Simulator.of(Map.of("BANKSIM_EXPLORE", "1", "BANKSIM_CONTROL_URL", bank.controlUrl(),
                "BANKSIM_BASE_URL", bank.baseUrl(), "BANKSIM_TOKEN",
                System.getenv().getOrDefault("BANKSIM_CONTROL_TOKEN", "")), null);
    }

    @Test
    void allBanksAreTheExploredOne(Bank explored) throws Exception {
        explored.inject(Fault.on("jobs.get").named("failure").optional().then(Then.close()));
        var simulator = exploring(explored);
        try (var bank = Bank.with().start(simulator)) {
            assertEquals(explored.baseUrl(), bank.baseUrl());
            assertEquals(explored.controlUrl(), bank.controlUrl());
            App.createGroup(bank, "Night owls");
            var refusal = assertThrows(BankException.class, () -> Bank.with().start(simulator)).getMessage();
            assertTrue(refusal.contains("set junit.jupiter.execution.parallel.enabled=false"), refusal);
        }
        try (var bank = Bank.with().scenario("flaky").seed(3).start(simulator)) {
            assertEquals(List.of(), bank.journal());
            bank.verify(Expectation.of("groups.create").exactly(0));
            App.listGroups(bank);
            assertEquals(1, bank.journal().size());
            bank.reset();
            bank.verify(Expectation.of("groups.list").exactly(0));
        }
        assertEquals(List.of("groups.create", "groups.list"),
                explored.journal().stream().map(Api.Exchange::operation).toList());
    }

    @Test
    @Scenario(yaml = "extends: retail\nfaults: [{name: failure, operation: jobs.get, then: {status: 500}}]")
    void theFailureOutlivesTheFaultsOfATest(Bank explored) {
        var simulator = exploring(explored);
        var bank = Bank.with().start(simulator);
        bank.inject(Fault.on("groups.list").then(Then.close()));
        assertThrows(AssertionError.class, bank::clearFaults);
        bank.inject(Fault.on("groups.list").named("second").then(Then.close()));
        assertTrue(explored.report().contains("the fault failure (jobs.get) never fired"), explored.report());
        assertFalse(bank.report().contains("the fault failure"), bank.report());
        assertTrue(assertThrows(AssertionError.class, bank::close).getMessage().contains("second (groups.list) never"));
        Bank.with().start(simulator).close();
        var faults = new ArrayList<String>();
        for (var fault : explored.call("GET", "/faults").get("faults")) faults.add(fault.get("name").asText());
        assertEquals(List.of("failure"), faults);
    }

    @Test
    void banksimExplore() throws Exception {
        var command = new ArrayList<>(List.of(System.getenv().getOrDefault("BANKSIM", "banksim"), "explore",
                "--parallel=1", "--only=groups.create#1/reset", "--must-pass", "--"));
        command.addAll(Runner.command("explore", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
        var builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().keySet().removeIf(name -> name.startsWith("BANKSIM_"));
        var explore = builder.start();
        var text = new String(explore.getInputStream().readAllBytes());
        assertTrue(text.contains("the command passes and calls groups.create#1"), text);
        assertEquals(0, explore.waitFor(), text);
    }
}
