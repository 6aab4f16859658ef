package io.github.digitalbankingsim;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Map;
import java.util.Objects;

/**
 * Requests that a bank should have had, and how many:
 *
 * <pre>{@code
 * Expectation.of("groups.create").status(200).body(Map.of("groupName", "Night owls")).exactly(1)
 * }</pre>
 *
 * <p>A request must be like all that is given. Without a count there must be at least one such request. A text that
 * begins with "~" is a regular expression (RE2) that must match a part of the value; "~" alone matches any value.
 * Each method returns another expectation.
 *
 * @param members the expectation as the control API reads it
 */
public record Expectation(Map<String, Object> members) {
    /** Makes an expectation from the members that the control API knows. */
    public Expectation {
        members = Json.copy(members);
    }

    @Override
    @JsonValue // here, because Jackson refuses it on the component
    public Map<String, Object> members() {
        return members;
    }

    /** Expects requests of an operation, such as "groups.create", or of a family, such as "groups.*". */
    public static Expectation of(String operation) {
        return new Expectation(Map.of("operation", operation));
    }

    /** Expects requests with a method and a path, as they were sent. */
    public static Expectation of(String method, String path) {
        return new Expectation(Map.of("method", method, "path", path));
    }

    /** Expects a status of the answer. */
    public Expectation status(int status) {
        return with("status", status);
    }

    /** Expects that the operation was answered in a dialect: document or public. */
    public Expectation dialect(String dialect) {
        return with("dialect", dialect);
    }

    /** Expects a header. One of its values must be equal. */
    public Expectation header(String name, String value) {
        return within("header", name, Objects.requireNonNull(value, "value: use withoutHeader"));
    }

    /** Expects that a header is absent. */
    public Expectation withoutHeader(String name) {
        return within("header", name, null);
    }

    /** Expects a parameter of the query. One of its values must be equal. */
    public Expectation query(String name, String value) {
        return within("query", name, Objects.requireNonNull(value, "value: use withoutQuery"));
    }

    /** Expects that a parameter of the query is absent. */
    public Expectation withoutQuery(String name) {
        return within("query", name, null);
    }

    /**
     * Expects members of the body, JSON or form. They are a map, a record, any other value that Jackson writes as an
     * object, or JSON text. A member that is null must be absent.
     */
    public Expectation body(Object members) {
        return with("body", Json.tree(members));
    }

    /** Expects exactly so many such requests. It goes with no other count. */
    public Expectation exactly(int count) {
        return with("exactly", count);
    }

    /** Expects so many such requests or more. */
    public Expectation atLeast(int count) {
        return with("atLeast", count);
    }

    /** Expects so many such requests or fewer. */
    public Expectation atMost(int count) {
        return with("atMost", count);
    }

    private Expectation with(String name, Object value) {
        return new Expectation(Json.with(members, name, value));
    }

    @SuppressWarnings("unchecked")
    private Expectation within(String member, String name, String value) {
        var inner = (Map<String, Object>) members.getOrDefault(member, Map.of());
        return with(member, Json.with(inner, name, value));
    }
}
