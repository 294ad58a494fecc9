package dev.waybill.spi;

/** The databases Waybill runs on. They are equals: the same promises hold on each. */
public enum DatabaseKind {
  /** PostgreSQL 14 or newer. */
  POSTGRESQL("PostgreSQL"),
  /** MySQL 8.0.1 or newer. */
  MYSQL("MySQL"),
  /** MariaDB 10.6 or newer. */
  MARIADB("MariaDB"),
  /** SQLite 3.35 or newer, one process. */
  SQLITE("SQLite");

  private final String label;

  DatabaseKind(String label) {
    this.label = label;
  }

  /** The product's name as its makers write it. */
  public String label() {
    return label;
  }
}
