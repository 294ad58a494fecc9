package dev.waybill.bench.contender;

/** What a contender promises about order. */
public enum Promise {
  /** Messages with the same key arrive in the order in which they were sent. */
  ORDER_PER_KEY,
  /** None. */
  NO_ORDER
}
