package dev.waybill.testkit;

/** The databases Waybill runs on. */
public enum DatabaseProduct {
  POSTGRESQL,
  MARIADB,
  MYSQL,
  SQLITE
}
