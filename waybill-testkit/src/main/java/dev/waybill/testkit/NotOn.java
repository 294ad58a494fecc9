package dev.waybill.testkit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Excepts a class or a case of an {@link EveryDatabase} suite from some databases. */
@Documented
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
public @interface NotOn {

  DatabaseProduct[] value();

  /** Shown in the report of the skipped case. */
  String why();
}
