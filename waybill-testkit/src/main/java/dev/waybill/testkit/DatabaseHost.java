package dev.waybill.testkit;

/** Where databases come from and go back to. */
interface DatabaseHost {

  /** An empty one. */
  TestDatabase create();

  /** One as a preparation leaves an empty one. */
  TestDatabase create(Preparation preparation);

  void drop(String name);

  boolean isUsers();
}
