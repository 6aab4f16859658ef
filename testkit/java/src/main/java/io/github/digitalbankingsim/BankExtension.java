package io.github.digitalbankingsim;

import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolutionException;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Gives each test of JUnit a bank of its own: {@code @ExtendWith(BankExtension.class)} on the class, and a parameter of
 * type {@link Bank} for the test. Its methods with {@code @BeforeEach} and {@code @AfterEach} get the same bank.
 *
 * <p>{@link Scenario} says how the bank starts. The failure of a test shows the bank's last exchanges, as a suppressed
 * exception. A test that passes fails if a fault that it injected never fired.
 */
public final class BankExtension implements ParameterResolver, AfterEachCallback {
    private static final Namespace NAMESPACE = Namespace.create(BankExtension.class);

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext test) {
        return parameter.getParameter().getType() == Bank.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext test) {
        if (test.getTestMethod().isEmpty()) {
            throw new ParameterResolutionException("a Bank belongs to one test: make it a parameter of the test or of "
                    + "a method with @BeforeEach, not of a constructor or a method with @BeforeAll");
        }
        return test.getStore(NAMESPACE).getOrComputeIfAbsent(Bank.class, key -> start(test), Bank.class);
    }

    @Override
    public void afterEach(ExtensionContext test) {
        var bank = test.getStore(NAMESPACE).remove(Bank.class, Bank.class);
        if (bank == null) return;
        var failure = test.getExecutionException();
        if (failure.isPresent()) {
            end(bank, failure.get());
            return;
        }
        try {
            bank.requireFired();
        } catch (AssertionError e) {
            end(bank, e);
            throw e;
        }
        bank.remove();
    }

    /** Removes the bank of a test that failed, and adds its exchanges to the failure. */
    private static void end(Bank bank, Throwable failure) {
        failure.addSuppressed(new Exchanges(bank.report()));
        bank.remove();
    }

    private static Bank start(ExtensionContext test) {
        var plan = Bank.with();
        var scenario = scenario(test);
        if (scenario != null) {
            if (!scenario.value().isEmpty()) plan.scenario(scenario.value());
            if (!scenario.yaml().isEmpty()) plan.scenarioYaml(scenario.yaml());
            for (var seed : scenario.seed()) plan.seed(seed);
        }
        return plan.start();
    }

    /** Returns the scenario of the test method, or else of its class or an enclosing one, or null. */
    private static Scenario scenario(ExtensionContext test) {
        var scenario = test.getRequiredTestMethod().getAnnotation(Scenario.class);
        Class<?> type = test.getRequiredTestClass();
        while (scenario == null && type != null) {
            scenario = type.getAnnotation(Scenario.class);
            type = type.getEnclosingClass();
        }
        return scenario;
    }

    /** Shows exchanges in the stack trace of the failure that it is added to. */
    private static final class Exchanges extends Throwable {
        private static final long serialVersionUID = 1;

        Exchanges(String report) {
            super("the bank's last exchanges:\n" + report.strip(), null, false, false);
        }

        @Override
        public String toString() {
            return getMessage();
        }
    }
}
