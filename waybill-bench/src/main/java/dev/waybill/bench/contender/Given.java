package dev.waybill.bench.contender;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What an earlier call of a contender's life must have brought. */
final class Given {
  private Given() {}

  static <T> T here(@Nullable T thing) {
    return Objects.requireNonNull(thing, "called out of order");
  }
}
