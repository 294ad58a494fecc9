package dev.waybill.testkit;

/** What is done to an empty database before tests use it. Recognised by identity: a constant. */
public interface Preparation {

  void prepare(TestDatabase database);
}
