package io.github.digitalbankingsim;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Says how {@link BankExtension} starts the bank of a test, or of each test of a class: {@code @Scenario("flaky")}. At
 * most one of name, YAML, file and resource is given.
 */
@Documented
@Target({ElementType.METHOD, ElementType.TYPE})
@Retention(RetentionPolicy.RUNTIME)
public @interface Scenario {
    /** The name of a built-in scenario. */
    String value() default "";

    /** The YAML of a scenario. */
    String yaml() default "";

    /** A file with the YAML of a scenario. */
    String file() default "";

    /** The same on the class path: "/bank.yaml", or "bank.yaml" beside the class of the test. */
    String resource() default "";

    /** A seed, with which the bank draws the same ids and tokens each time. */
    long[] seed() default {};

    /** The origins whose pages may read the answers, as {@link Bank.Builder#cors} takes them. */
    String[] cors() default {};
}
