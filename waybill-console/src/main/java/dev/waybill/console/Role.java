package dev.waybill.console;

/** What somebody may do. */
public enum Role {
  /** Look. */
  VIEW,
  /** Look, and change things. */
  OPERATE;

  boolean allows(Role wanted) {
    return compareTo(wanted) >= 0;
  }
}
