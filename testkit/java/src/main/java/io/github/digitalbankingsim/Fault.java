package io.github.digitalbankingsim;

import com.fasterxml.jackson.annotation.JsonValue;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * A failure that a test asks for: which requests, when, and what happens then.
 *
 * <pre>{@code
 * Fault.on("groups.create").first(1).afterOperation().then(Then.close())
 * }</pre>
 *
 * @param members the rule as the control API reads it
 */
public record Fault(Map<String, Object> members) {
    /** Makes a fault from the members that the control API knows. */
    public Fault {
        members = Json.copy(members);
    }

    @Override
    @JsonValue // here, because Jackson refuses it on the component
    public Map<String, Object> members() {
        return members;
    }

    /** Begins a fault of operations, such as "groups.create", of families, such as "groups.*", or of all, "*". */
    public static Builder on(String... operations) {
        return new Builder(Map.of("operation", List.of(operations)));
    }

    /** Begins a stub: an answer for a path that the bank doesn't have. A segment {name} stands for any segment. */
    public static Builder stub(String method, String path) {
        return new Builder(Map.of("method", method, "path", path));
    }

    /** Collects the conditions of a fault. All of them must hold. {@link #then} ends it. */
    public static final class Builder {
        private final Map<String, Object> rule;
        private final Map<String, Object> when = new LinkedHashMap<>();
        private final Map<String, Object> request = new LinkedHashMap<>();
        private final Map<String, String> header = new LinkedHashMap<>();
        private final Map<String, String> query = new LinkedHashMap<>();

        private Builder(Map<String, Object> rule) {
            this.rule = new LinkedHashMap<>(rule);
        }

        /**
         * Names the fault, in the journal and in the message of one that never fired. By default it is fault-1 and so
         * on.
         */
        public Builder named(String name) {
            return put(rule, "name", name);
        }

        /** Fires for the first requests, so many of them. */
        public Builder first(int count) {
            return put(when, "first", count);
        }

        /** Fires for one request only, counted from 1. */
        public Builder nth(int number) {
            return put(when, "nth", number);
        }

        /** Fires for every second request, or every third and so on. */
        public Builder every(int number) {
            return put(when, "every", number);
        }

        /** Fires for the requests after the first ones, so many of them. */
        public Builder after(int count) {
            return put(when, "after", count);
        }

        /** Fires for the requests of a caller beyond so many in a time: of a "client", a "user", or "all" together. */
        public Builder beyond(int requests, Duration per, String by) {
            return put(when, "rate", Map.of("requests", requests, "per", Json.duration(per), "by", by));
        }

        /** Fires for a share of the requests, such as 0.2. The bank's seed decides which. */
        public Builder probability(double share) {
            return put(when, "probability", share);
        }

        /** Fires for some time by the bank's clock. It begins so long after the start of the bank. */
        public Builder during(Duration from, Duration length) {
            return put(when, "during", Map.of("from", Json.duration(from), "for", Json.duration(length)));
        }

        /** Fires from one time of the bank's clock until another. */
        public Builder during(Instant from, Instant until) {
            return put(when, "during", Map.of("from", from.toString(), "until", until.toString()));
        }

        /** Fires for requests of an institution. */
        public Builder institution(String institutionId) {
            return put(request, "institutionId", institutionId);
        }

        /** Fires for requests about a user. */
        public Builder user(String hostUserId) {
            return put(request, "hostUserId", hostUserId);
        }

        /** Fires for requests of a dialect: document or public. */
        public Builder dialect(String dialect) {
            return put(request, "dialect", dialect);
        }

        /** Fires for requests with a header. A value that begins with "~" is a regular expression. */
        public Builder header(String name, String value) {
            header.put(name, Objects.requireNonNull(value, "value: use withoutHeader"));
            return put(request, "header", header);
        }

        /** Fires for requests without a header. */
        public Builder withoutHeader(String name) {
            header.put(name, null);
            return put(request, "header", header);
        }

        /** Fires for requests with a parameter in the query. A value that begins with "~" is a regular expression. */
        public Builder query(String name, String value) {
            query.put(name, Objects.requireNonNull(value, "value: use withoutQuery"));
            return put(request, "query", query);
        }

        /** Fires for requests without a parameter in the query. */
        public Builder withoutQuery(String name) {
            query.put(name, null);
            return put(request, "query", query);
        }

        /** Fires for requests whose body has members, as {@link Expectation#body} takes them. */
        public Builder body(Object members) {
            return put(request, "body", Json.tree(members));
        }

        /** Lets the test pass though the fault has no effect. */
        public Builder optional() {
            return put(rule, "required", false);
        }

        /** Lets the operation be carried out first. Then its answer is lost, replaced or late. */
        public Builder afterOperation() {
            return put(rule, "phase", "after");
        }

        /** Returns the fault, with its effect. */
        public Fault then(Then effect) {
            var all = new LinkedHashMap<>(rule);
            var conditions = new LinkedHashMap<>(when);
            if (!request.isEmpty()) conditions.put("request", new LinkedHashMap<>(request));
            if (!conditions.isEmpty()) all.put("when", conditions);
            all.put("then", effect);
            return new Fault(all);
        }

        private Builder put(Map<String, Object> members, String name, Object value) {
            members.put(name, value);
            return this;
        }
    }
}
