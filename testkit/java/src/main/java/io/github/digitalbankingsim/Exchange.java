package io.github.digitalbankingsim;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A request to a bank and its answer, with the decision behind it. It shows no secret: tokens and the like are
 * fingerprints.
 *
 * @param id the number of the exchange, from "1"
 * @param operation such as "groups.create", or "" for a path that no operation has
 * @param dialect document or public, or null for a path that no operation has
 * @param at by the bank's clock
 * @param realAt by the clock of the simulator's machine
 * @param tookMicros how long the answer took, in microseconds
 * @param changed whether the request has changed the bank
 * @param fault what faults did, or null if none took part
 * @param lints what is odd about the request
 */
public record Exchange(String id, String operation, String dialect, Instant at, Instant realAt, long tookMicros,
        Request request, Response response, Decision decision, boolean changed, FaultReport fault, List<Lint> lints) {

    /**
     * What an app sent.
     *
     * @param url the whole URL, as the app used it
     * @param path without the bank's base URL and the query
     * @param bodyBytes the size of the body that was sent
     * @param bodyTruncated whether body is only its beginning
     */
    public record Request(String method, String url, String path, Map<String, List<String>> query,
            Map<String, List<String>> headers, String body, int bodyBytes, boolean bodyTruncated) {
        /** Returns the first value of a header, whose name may be in any case. */
        public Optional<String> header(String name) {
            return first(headers, name);
        }
    }

    /**
     * What the app got, after any fault.
     *
     * @param status 0 if a fault lost the answer
     * @param bodyBytes the size of the whole body
     * @param bodyTruncated whether body is only its beginning
     */
    public record Response(int status, Map<String, List<String>> headers, String body, int bodyBytes,
            boolean bodyTruncated) {
        /** Returns the first value of a header, whose name may be in any case. */
        public Optional<String> header(String name) {
            return first(headers, name);
        }
    }

    /**
     * Why the answer is what it is.
     *
     * @param outcome accepted, refused, faulted or stubbed
     * @param rule the code of a refusal, the name of a fault, or the operation
     * @param row the row that the rule looked at, or null
     * @param message the reason in words, or null
     * @param basis document, published, convention or choice
     * @param entries ids of the entries of the ledger that the answer rests on
     */
    public record Decision(String outcome, String rule, String row, String message, String basis,
            List<String> entries) {}

    /**
     * What faults did.
     *
     * @param fired the names of the faults that fired
     * @param answeredBy the fault that answered, or lost the answer; null if the bank answered
     * @param phase before or after the operation, or null
     * @param delayMicros how long faults delayed the answer, in microseconds
     * @param connection the kind of connection fault, or null
     * @param bankStatus the status that the bank had answered with, or 0
     * @param expiredBy the fault that let the access token expire, or null
     * @param undocumented whether the interface doesn't document the status for the operation
     */
    public record FaultReport(List<String> fired, String answeredBy, String phase, long delayMicros, String connection,
            int bankStatus, String expiredBy, boolean undocumented) {}

    /** Something odd about a request that had no influence on its answer. */
    public record Lint(String code, String message) {}

    private static Optional<String> first(Map<String, List<String>> headers, String name) {
        return headers.entrySet().stream().filter(header -> header.getKey().equalsIgnoreCase(name))
                .flatMap(header -> header.getValue().stream()).findFirst();
    }
}
