package io.github.digitalbankingsim;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Says how {@link BankExtension} starts the bank of a test, or of each test of a class: {@code @Scenario("flaky")}. */
@Documented
@Target({ElementType.METHOD, ElementType.TYPE})
@Retention(RetentionPolicy.RUNTIME)
public @interface Scenario {
    /** The name of a built-in scenario. */
    String value() default "";

    /** The YAML of a scenario, in place of a name. */
    String yaml() default "";

    /** A seed, with which the bank draws the same ids and tokens each time. */
    long[] seed() default {};
}
