package dev.waybill.examples;

/** Those who do what an order needs, outside the database. */
@FunctionalInterface
public interface Hands {
  /** Does something, such as {@code "pay 4711"}; false if it cannot be done, now or later. */
  boolean does(String deed);
}
