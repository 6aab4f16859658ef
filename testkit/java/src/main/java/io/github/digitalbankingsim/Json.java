package io.github.digitalbankingsim;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.deser.std.StdDeserializer;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.module.SimpleModule;
import java.io.IOException;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** JSON as the control API reads and writes it. */
final class Json {
    private static final ObjectMapper MAPPER = JsonMapper.builder()
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES) // a later simulator may say more
            .addModule(new SimpleModule().addDeserializer(Instant.class, new Times()))
            .build();

    private Json() {}

    /** Reads JSON text. */
    static JsonNode read(String text) {
        try {
            return MAPPER.readTree(text);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("the text is not valid JSON: " + e.getOriginalMessage(), e);
        }
    }

    /** Converts JSON to a type of this package. */
    static <T> T convert(JsonNode json, Class<T> type) {
        return MAPPER.convertValue(json, type);
    }

    /** Converts a value to JSON. A string is JSON text. */
    static JsonNode tree(Object value) {
        return value instanceof String text ? read(text) : MAPPER.valueToTree(value);
    }

    /** Returns a duration as the control API reads it, without loss: 0.25s. */
    static String duration(Duration length) {
        var seconds = BigDecimal.valueOf(length.getSeconds()).add(BigDecimal.valueOf(length.getNano(), 9));
        return seconds.stripTrailingZeros().toPlainString() + "s";
    }

    /** Returns a list, or an empty one for null. */
    static <T> List<T> list(List<T> list) {
        return list == null ? List.of() : list;
    }

    /** Returns a copy of members that nobody can change. They keep their order. */
    static Map<String, Object> copy(Map<String, Object> members) {
        return Collections.unmodifiableMap(new LinkedHashMap<>(members));
    }

    /** Returns a copy of members with one more, or with another value for it. */
    static Map<String, Object> with(Map<String, Object> members, String name, Object value) {
        var all = new LinkedHashMap<>(members);
        all.put(name, value);
        return all;
    }

    private static final class Times extends StdDeserializer<Instant> {
        private static final long serialVersionUID = 1;

        Times() {
            super(Instant.class);
        }

        @Override
        public Instant deserialize(JsonParser parser, DeserializationContext context) throws IOException {
            return Instant.parse(parser.getText());
        }
    }
}
