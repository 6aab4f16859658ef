package io.github.digitalbankingsim;

import com.fasterxml.jackson.annotation.JsonValue;
import java.time.Duration;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The effect of a fault: {@code Then.status(500)}, {@code Then.close()}. Effects that go together are joined by
 * {@link #and}: {@code Then.status(503).and(Then.delay(Duration.ofSeconds(2)))}.
 *
 * @param members the effect as the control API reads it
 */
public record Then(Map<String, Object> members) {
    /** Makes an effect from the members that the control API knows. */
    public Then {
        members = Json.copy(members);
    }

    @Override
    @JsonValue // here, because Jackson refuses it on the component
    public Map<String, Object> members() {
        return members;
    }

    /** Returns an effect that has what both have. */
    public Then and(Then other) {
        var all = new LinkedHashMap<>(members);
        other.members.forEach((name, value) -> {
            if (all.putIfAbsent(name, value) != null) {
                throw new IllegalArgumentException("the effect has two of \"" + name + "\": leave one of them out");
            }
        });
        return new Then(all);
    }

    /** Answers with a status. From 400 to 599 it comes with an error body of the bank; any other needs a body. */
    public static Then status(int status) {
        return of("status", status);
    }

    /** Puts another code into the error body of the status. */
    public static Then error(String code) {
        return of("error", Map.of("code", code));
    }

    /** Puts another code and message into the error body of the status. */
    public static Then error(String code, String message) {
        return of("error", Map.of("code", code, "message", message));
    }

    /** Answers with a body in place of the bank's: a text, or a map or a list that is sent as JSON. */
    public static Then body(Object body) {
        return of("body", body);
    }

    /** Answers with these bytes, such as a PDF's. */
    public static Then body(byte[] bytes) {
        return of("bodyBase64", Base64.getEncoder().encodeToString(bytes));
    }

    /** Answers as another service does: sends the request to its path below a URL. It goes with a path. */
    public static Then forward(String url) {
        return of("forward", url);
    }

    /** Sets headers in the answer, whether it is the fault's or the bank's own. */
    public static Then headers(Map<String, String> headers) {
        return of("headers", headers);
    }

    /** Delays the answer. */
    public static Then delay(Duration time) {
        return of("delay", Json.duration(time));
    }

    /** Delays the answer by a time that is drawn between two others. */
    public static Then delayBetween(Duration least, Duration most) {
        return of("delay", Map.of("uniform", List.of(Json.duration(least), Json.duration(most))));
    }

    /** Delays the answer as a busy service does: one half of the delays is below p50, and 95 of 100 are below p95. */
    public static Then delayPercentiles(Duration p50, Duration p95) {
        return of("delay", Map.of("p50", Json.duration(p50), "p95", Json.duration(p95)));
    }

    /** Lets the access token of the request expire for good. It goes with a delay alone. */
    public static Then expireToken() {
        return of("expireToken", true);
    }

    /** Answers a reading operation from the bank as it was some time ago. It goes with a delay alone. */
    public static Then stale(Duration age) {
        return of("stale", Json.duration(age));
    }

    /** Resets the connection: a TCP RST, and no answer. */
    public static Then reset() {
        return of("connection", "reset");
    }

    /** Closes the connection without an answer. */
    public static Then close() {
        return of("connection", "close");
    }

    /** Gives no answer for thirty seconds, and then closes the connection. */
    public static Then hang() {
        return of("connection", "hang");
    }

    /** Gives no answer for a time, and then closes the connection. */
    public static Then hang(Duration time) {
        return of("connection", Map.of("hang", Json.duration(time)));
    }

    /** Sends the first half of the body, and then closes the connection. */
    public static Then truncate() {
        return of("connection", "truncate");
    }

    /** Sends so many bytes of the body, and then closes the connection. */
    public static Then truncate(int bytes) {
        return of("connection", Map.of("truncate", bytes));
    }

    /** Sends a body that is not valid JSON. */
    public static Then malformed() {
        return of("connection", "malformed");
    }

    /** Sends the answer in pieces of 16 bytes, one every 100 ms. */
    public static Then dribble() {
        return of("connection", "dribble");
    }

    /** Sends the answer in pieces of so many bytes, one after each pause. */
    public static Then dribble(int bytes, Duration pause) {
        return of("connection", Map.of("dribble", Map.of("bytes", bytes, "every", Json.duration(pause))));
    }

    /** Sends bytes that are not HTTP. */
    public static Then garbage() {
        return of("connection", "garbage");
    }

    private static Then of(String member, Object value) {
        return new Then(Map.of(member, value));
    }
}
