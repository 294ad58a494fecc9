package dev.waybill.testkit;

/** Where fresh databases come from and go back to. */
interface DatabaseHost {

  TestDatabase create();

  void drop(String name);
}
