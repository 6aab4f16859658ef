package io.github.digitalbankingsim;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.stream.Stream;
import org.opentest4j.AssertionFailedError;

/** What fails a test, and what its failure shows. */
final class Failure {
    private Failure() {}

    /** Returns the error that fails a test. If expected and actual are given, IDEs show how they differ. */
    static AssertionError of(String text, JsonNode expected, JsonNode actual) {
        try {
            return outside(OpenTest.failure(text, expected, actual));
        } catch (NoClassDefFoundError e) { // the runner isn't JUnit 5
            return outside(new AssertionError(text));
        }
    }

    /** Takes the frames of the kit out of a stack: runners show few, and the test's own are what matters. */
    static <T extends Throwable> T outside(T failure) {
        var kit = Stream.of(Bank.class, Failure.class, Simulator.class, Control.class).map(Class::getName).toList();
        failure.setStackTrace(Stream.of(failure.getStackTrace())
                .dropWhile(frame -> kit.contains(frame.getClassName().replaceAll("\\$.*", "")))
                .toArray(StackTraceElement[]::new));
        return failure;
    }

    /** Shows a report in the stack trace of a failure. */
    static void show(String report, Throwable failure) {
        if (!report.isEmpty()) failure.addSuppressed(new Report(report));
    }

    /** Uses classes that come with JUnit 5. So the rest of the kit works without them. */
    private static final class OpenTest {
        static AssertionError failure(String text, JsonNode expected, JsonNode actual) {
            return expected == null || actual == null ? new AssertionFailedError(text)
                    : new AssertionFailedError(text, expected.toPrettyString(), actual.toPrettyString());
        }
    }

    private static final class Report extends Throwable {
        private static final long serialVersionUID = 1;

        Report(String text) {
            super(text, null, false, false);
        }

        @Override
        public String toString() {
            return getMessage();
        }
    }
}
