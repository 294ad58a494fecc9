package dev.waybill.bench.scenario;

import java.io.Serial;

/** A contender lost messages, or brought them in another order than it promises. */
public final class BrokenPromise extends RuntimeException {
  @Serial private static final long serialVersionUID = 1L;

  BrokenPromise(String message) {
    super(message);
  }
}
