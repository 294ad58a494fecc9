package dev.waybill.internal.schema;

import dev.waybill.DatabaseException;
import dev.waybill.schema.SchemaIncompatibleException.QueryFailed;
import java.util.function.Supplier;

/** Turns an error of the database into the verdict it is. */
final class Asking {
  private Asking() {}

  static <T> T of(String doing, Supplier<T> work) {
    try {
      return work.get();
    } catch (DatabaseException e) {
      throw new QueryFailed(doing, e);
    }
  }
}
