package io.github.digitalbankingsim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The simulator reads each fault as it is meant. */
class FaultTest {
    private static final Duration SECOND = Duration.ofSeconds(1);

    @Test
    void rules() {
        var faults = new LinkedHashMap<Fault, String>();
        faults.put(Fault.on("groups.create").named("n").first(2).afterOperation().then(Then.close()), """
                {"name": "n", "operation": "groups.create", "when": {"first": 2}, "phase": "after",
                 "then": {"connection": "close"}}""");
        faults.put(Fault.on("groups.list").named("n").optional().then(Then.status(500)), """
                {"name": "n", "operation": "groups.list", "required": false, "then": {"status": 500}}""");
        faults.put(Fault.on("groups.*", "tokens.revoke").named("n").nth(3).then(Then.reset()), """
                {"name": "n", "operation": ["groups.*", "tokens.revoke"], "when": {"nth": 3},
                 "then": {"connection": "reset"}}""");
        faults.put(Fault.on("*").named("n").every(2).after(3).probability(0.5).then(Then.hang()), """
                {"name": "n", "operation": "*", "when": {"every": 2, "after": 3, "probability": 0.5},
                 "then": {"connection": "hang"}}""");
        faults.put(Fault.on("groups.list").named("n").during(SECOND, SECOND).then(Then.hang(SECOND)), """
                {"name": "n", "operation": "groups.list", "when": {"during": {"from": "1s", "for": "1s"}},
                 "then": {"connection": {"hang": "1s"}}}""");
        var noon = Instant.parse("2026-01-15T12:00:00Z");
        faults.put(Fault.on("groups.list").named("n").during(noon, noon.plus(SECOND)).then(Then.truncate()), """
                {"name": "n", "operation": "groups.list", "then": {"connection": "truncate"},
                 "when": {"during": {"from": "2026-01-15T12:00:00Z", "until": "2026-01-15T12:00:01Z"}}}""");
        faults.put(Fault.on("groups.create").named("n").institution("02688").user("1001").dialect("document")
                .header("X-Test", "boom").withoutHeader("X-Other").query("a", "~b").withoutQuery("c")
                .body(Map.of("groupName", "owls")).then(Then.truncate(20)), """
                {"name": "n", "operation": "groups.create", "then": {"connection": {"truncate": 20}},
                 "when": {"request": {"institutionId": "02688", "hostUserId": "1001", "dialect": "document",
                  "header": {"X-Test": "boom", "X-Other": null}, "query": {"a": "~b", "c": null},
                  "body": {"groupName": "owls"}}}}""");
        faults.put(Fault.stub("GET", "/v1/accounts/{id}").named("n")
                .then(Then.status(200).and(Then.body(Map.of("balance", 12.5)))), """
                {"name": "n", "method": "GET", "path": "/v1/accounts/{id}",
                 "then": {"status": 200, "body": {"balance": 12.5}}}""");
        faults.put(Fault.stub("GET", "/s").named("n").then(Then.status(200).and(Then.body(new byte[] {37, -1}))), """
                {"name": "n", "method": "GET", "path": "/s", "then": {"status": 200, "bodyBase64": "Jf8="}}""");
        faults.put(Fault.on("groups.list").named("n").then(Then.status(500).and(Then.error("CMN_90001"))), """
                {"name": "n", "operation": "groups.list", "then": {"status": 500, "error": {"code": "CMN_90001"}}}""");
        faults.put(Fault.on("groups.create").named("n").then(Then.status(400).and(Then.error("2004", "taken"))
                .and(Then.headers(Map.of("Retry-After", "60"))).and(Then.delay(Duration.ofNanos(1_500_000_001)))), """
                {"name": "n", "operation": "groups.create", "then": {"status": 400, "delay": "1.500000001s",
                 "error": {"code": "2004", "message": "taken"}, "headers": {"Retry-After": "60"}}}""");
        faults.put(Fault.on("groups.list").named("n").then(Then.delayBetween(SECOND, SECOND.multipliedBy(2))), """
                {"name": "n", "operation": "groups.list", "then": {"delay": {"uniform": ["1s", "2s"]}}}""");
        faults.put(Fault.on("groups.list").named("n").then(Then.delayPercentiles(SECOND, SECOND.multipliedBy(2))), """
                {"name": "n", "operation": "groups.list", "then": {"delay": {"p50": "1s", "p95": "2s"}}}""");
        faults.put(Fault.on("groups.list").named("n").then(Then.expireToken()), """
                {"name": "n", "operation": "groups.list", "then": {"expireToken": true}}""");
        faults.put(Fault.stub("GET", "/v1/{id}").named("n").then(Then.forward("http://other.example")), """
                {"name": "n", "method": "GET", "path": "/v1/{id}", "then": {"forward": "http://other.example"}}""");
        faults.put(Fault.on("groups.list").named("n").then(Then.malformed().and(Then.status(500))), """
                {"name": "n", "operation": "groups.list", "then": {"status": 500, "connection": "malformed"}}""");
        faults.put(Fault.on("groups.list").named("n").then(Then.dribble()), """
                {"name": "n", "operation": "groups.list", "then": {"connection": "dribble"}}""");
        faults.put(Fault.on("groups.list").named("n").then(Then.dribble(8, SECOND)), """
                {"name": "n", "operation": "groups.list",
                 "then": {"connection": {"dribble": {"bytes": 8, "every": "1s"}}}}""");
        faults.put(Fault.on("groups.list").named("n").then(Then.garbage()), """
                {"name": "n", "operation": "groups.list", "then": {"connection": "garbage"}}""");
        try (var built = Bank.start(); var written = Bank.start()) {
            faults.forEach((fault, text) -> {
                built.call("PUT", "/faults", fault);
                written.call("PUT", "/faults", text);
                assertEquals(written.call("GET", "/faults"), built.call("GET", "/faults"));
            });
        }
    }

    @Test
    void effectsThatExcludeEachOther() {
        var refusal = assertThrows(IllegalArgumentException.class, () -> Then.close().and(Then.hang())).getMessage();
        assertEquals("the effect has two of \"connection\": leave one of them out", refusal);
        assertThrows(NullPointerException.class, () -> Fault.on("groups.list").header("X-Test", null));
    }
}
