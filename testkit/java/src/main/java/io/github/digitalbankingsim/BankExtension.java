package io.github.digitalbankingsim;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolutionException;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Gives each test of JUnit a bank of its own: {@code @ExtendWith(BankExtension.class)} on the class, and a parameter of
 * type {@link Bank} for the test. Its methods with {@code @BeforeEach} and {@code @AfterEach} get the same bank.
 * {@link Scenario} says how the bank starts.
 *
 * <p>{@link #forClass} gives all tests of a class one bank instead.
 *
 * <p>The failure of a test shows the bank's report, as a suppressed exception. A test that passes fails if a fault that
 * it injected had no effect.
 */
public final class BankExtension implements ParameterResolver, BeforeAllCallback, BeforeEachCallback,
        AfterEachCallback, AfterAllCallback {
    private static final Namespace NAMESPACE = Namespace.create(BankExtension.class);

    private final Bank.Builder plan; // of the bank of the class, or null
    private Bank shared; // the bank of the class, or null while no test has asked for it
    private int classes; // that run: with nested ones, or in parallel

    /** Makes an extension for {@code @ExtendWith}: each test has a bank of its own. */
    public BankExtension() {
        this(null);
    }

    private BankExtension(Bank.Builder plan) {
        this.plan = plan;
    }

    /**
     * Returns an extension whose bank all tests of a class share, for a static field:
     *
     * <pre>{@code
     * @RegisterExtension
     * static final BankExtension BANKS = BankExtension.forClass();
     * }</pre>
     *
     * <p>{@link #bank} returns the bank, as do parameters of type {@link Bank}. It is judged and removed after all
     * tests. A test calls {@link Bank#reset} if it must not see what others have left.
     */
    public static BankExtension forClass() {
        return forClass(Bank.with());
    }

    /** Returns the same for a bank that is told how to start. */
    public static BankExtension forClass(Bank.Builder plan) {
        return new BankExtension(plan);
    }

    /**
     * Returns the bank of the class. The first call starts it, so that a method with Spring's
     * {@code @DynamicPropertySource} can ask for its URL.
     */
    public synchronized Bank bank() {
        if (plan == null) throw new IllegalStateException("each test has a bank of its own: use forClass");
        if (shared == null) shared = plan.start();
        return shared;
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext test) {
        return parameter.getParameter().getType() == Bank.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext test) {
        if (plan != null) return bank();
        if (test.getTestMethod().isEmpty()) {
            throw new ParameterResolutionException("a Bank belongs to one test: make it a parameter of the test or of "
                    + "a method with @BeforeEach, not of a constructor or a method with @BeforeAll, or use forClass");
        }
        return test.getStore(NAMESPACE).getOrComputeIfAbsent(Bank.class, key -> start(test), Bank.class);
    }

    @Override
    public synchronized void beforeAll(ExtensionContext tests) {
        classes++;
    }

    @Override
    public synchronized void beforeEach(ExtensionContext test) {
        if (plan != null && classes == 0) {
            throw new ExtensionConfigurationException("the field of a bank of a class has to be static");
        }
        if (plan != null && scenario(test) != null) {
            throw new ExtensionConfigurationException("a bank of a class has no @Scenario: give forClass a builder");
        }
    }

    @Override
    public void afterEach(ExtensionContext test) {
        var own = test.getStore(NAMESPACE).remove(Bank.class, Bank.class);
        var bank = own == null ? current() : own;
        if (bank != null) test.getExecutionException().ifPresent(bank::showReport);
        if (own == null) return;
        if (test.getExecutionException().isPresent()) own.discard();
        else own.close();
    }

    private synchronized Bank current() {
        return shared;
    }

    @Override
    public synchronized void afterAll(ExtensionContext tests) {
        if (--classes > 0 || shared == null) return;
        var bank = shared;
        shared = null; // a subclass may have tests, too
        bank.close();
    }

    private static Bank start(ExtensionContext test) {
        var plan = Bank.with();
        var scenario = scenario(test);
        if (scenario == null) return plan.start();
        if (Stream.of(scenario.value(), scenario.yaml(), scenario.file(), scenario.resource())
                .filter(text -> !text.isEmpty()).count() > 1) {
            throw new ExtensionConfigurationException("@Scenario has more than one scenario");
        }
        if (!scenario.value().isEmpty()) plan.scenario(scenario.value());
        if (!scenario.yaml().isEmpty()) plan.scenarioYaml(scenario.yaml());
        if (!scenario.file().isEmpty()) plan.scenarioFile(Path.of(scenario.file()));
        if (!scenario.resource().isEmpty()) plan.scenarioYaml(resource(test.getRequiredTestClass(), scenario));
        if (scenario.cors().length > 0) plan.cors(scenario.cors());
        for (var seed : scenario.seed()) plan.seed(seed);
        return plan.start();
    }

    private static String resource(Class<?> type, Scenario scenario) {
        try (var content = type.getResourceAsStream(scenario.resource())) {
            if (content != null) return new String(content.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        throw new ExtensionConfigurationException("the class path has no resource \"" + scenario.resource() + "\"");
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
}
