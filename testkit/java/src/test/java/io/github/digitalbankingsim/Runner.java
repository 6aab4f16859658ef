package io.github.digitalbankingsim;

import java.io.File;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Uses a bank in a process of its own, without JUnit. */
final class Runner {
    private Runner() {}

    /** Returns the command that does something in a process of its own: wait, verify or explore. */
    static List<String> command(String what, String... options) {
        var classes = Stream.of(Bank.class, Runner.class, com.fasterxml.jackson.databind.JsonNode.class,
                com.fasterxml.jackson.core.JsonParser.class, com.fasterxml.jackson.annotation.JsonValue.class)
                .map(type -> type.getProtectionDomain().getCodeSource().getLocation().getPath()).distinct()
                .collect(Collectors.joining(File.pathSeparator));
        var command = new ArrayList<>(List.of("java", "-cp", classes));
        command.addAll(List.of(options));
        command.addAll(List.of(Runner.class.getName(), what));
        return command;
    }

    static Process start(List<String> command) throws IOException {
        return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    }

    public static void main(String[] args) throws InterruptedException {
        try (var bank = Bank.start()) {
            switch (args[0]) {
                case "wait" -> {
                    System.out.println(bank.baseUrl());
                    Thread.sleep(Duration.ofMinutes(1).toMillis());
                }
                case "verify" -> {
                    try {
                        bank.verify(Expectation.of("groups.list"));
                    } catch (AssertionError e) {
                        System.out.println(e.getClass().getName());
                    }
                }
                default -> { // asks once more if no answer comes
                    if (App.createGroup(bank, "Night owls") == 0) App.createGroup(bank, "Night owls");
                }
            }
        }
    }
}
