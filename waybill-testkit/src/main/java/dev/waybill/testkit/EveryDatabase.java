package dev.waybill.testkit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.ClassTemplate;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Runs a test class once on each database, every time with a fresh {@link TestDatabase}, which the
 * constructor and the methods may take as a parameter.
 *
 * <p>JUnit calls {@code @BeforeAll} once for all the databases, before there is any: prepare a
 * database in the constructor or in {@code @BeforeEach}.
 */
@Documented
@Inherited
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ClassTemplate
@ExtendWith(DatabaseInvocations.class)
public @interface EveryDatabase {

  /** Whether to run on the oldest PostgreSQL that Waybill promises, too. */
  boolean alsoOldest() default false;
}
