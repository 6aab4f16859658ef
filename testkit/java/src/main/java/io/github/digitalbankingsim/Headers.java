package io.github.digitalbankingsim;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A request or an answer. */
public interface Headers {
    /** Returns all headers. */
    Map<String, List<String>> headers();

    /** Returns the first value of a header, whose name may be in any case. */
    default Optional<String> header(String name) {
        return headers().entrySet().stream().filter(header -> header.getKey().equalsIgnoreCase(name))
                .flatMap(header -> header.getValue().stream()).findFirst();
    }
}
