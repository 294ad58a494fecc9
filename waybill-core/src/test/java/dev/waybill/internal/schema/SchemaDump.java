package dev.waybill.internal.schema;

import dev.waybill.testkit.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * What a database contains, as SQL that people can read: tables with columns and constraints,
 * indexes, functions and triggers, in a fixed order and without counters.
 */
final class SchemaDump {
  private final Connection connection;

  private SchemaDump(Connection connection) {
    this.connection = connection;
  }

  /** The schema that a connection works in. */
  static String of(TestDatabase database) throws SQLException {
    try (Connection connection = database.connect()) {
      SchemaDump dump = new SchemaDump(connection);
      List<String> parts =
          switch (database.product()) {
            case POSTGRESQL -> dump.postgres();
            case MYSQL, MARIADB -> dump.mysql();
            case SQLITE -> dump.sqlite();
          };
      return String.join(";\n\n", parts) + (parts.isEmpty() ? "" : ";\n");
    }
  }

  private List<String> sqlite() throws SQLException {
    return Rows.of(
        connection,
        "select sql from sqlite_master where sql is not null and name not like 'sqlite\\_%' escape '\\'"
            + " order by tbl_name, type <> 'table', type, name");
  }

  private List<String> mysql() throws SQLException {
    List<String> parts = new ArrayList<>();
    for (String table : Rows.of(connection, "show full tables where table_type = 'BASE TABLE'")) {
      String name = table.substring(0, table.indexOf('|'));
      String created = Rows.of(connection, "show create table `" + name + "`").get(0);
      parts.add(withoutNoise(created.substring(name.length() + 1)));
    }
    parts.addAll(
        Rows.of(
            connection,
            "select concat('CREATE TRIGGER `', trigger_name, '` ', action_timing, ' ',"
                + " event_manipulation, ' ON `', event_object_table, '` FOR EACH ROW\\n',"
                + " action_statement) from information_schema.triggers"
                + " where trigger_schema = schema() order by event_object_table, trigger_name"));
    String schema = "`" + Rows.of(connection, "select schema()").get(0) + "`.";
    return parts.stream().map(part -> part.replace(schema, "")).toList();
  }

  /** Counters, and what depends on the server's settings or is only shown by some versions. */
  private static String withoutNoise(String table) {
    return table
        .replaceFirst(" AUTO_INCREMENT=\\d+", "")
        .replaceFirst(" COLLATE=utf8mb4_\\w+", "")
        .replaceAll("\\b(bigint|int)\\(\\d+\\)", "$1");
  }

  private List<String> postgres() throws SQLException {
    String schema = Rows.of(connection, "select quote_ident(current_schema())").get(0);
    List<String> parts = new ArrayList<>();
    for (String table :
        inSchema(
            "select quote_ident(relname) from pg_class where relkind = 'r' and relnamespace")) {
      String oid = "'" + schema + "." + table + "'::regclass"; // both quoted where they need it
      List<String> lines =
          Rows.of(
              connection,
              "select quote_ident(attname) || ' ' || format_type(atttypid, atttypmod)"
                  + " || case when attnotnull then ' not null' else '' end"
                  + " || coalesce(' default ' || pg_get_expr(adbin, adrelid), '')"
                  + " from pg_attribute left join pg_attrdef"
                  + " on adrelid = attrelid and adnum = attnum"
                  + " where attnum > 0 and not attisdropped and attrelid = "
                  + oid
                  + " order by attnum");
      lines.addAll(
          Rows.of(
              connection,
              "select 'constraint ' || quote_ident(conname) || ' ' || pg_get_constraintdef(oid)"
                  + " from pg_constraint where contype <> 'n' and conrelid = "
                  + oid
                  + " order by contype = 'c', conname"));
      String parent =
          String.join(
              "",
              Rows.of(
                  connection,
                  "select ' inherits (' || inhparent::regclass || ')' from pg_inherits where inhrelid = "
                      + oid));
      String options =
          String.join(
              "",
              Rows.of(
                  connection,
                  "select ' with (' || array_to_string(reloptions, ', ') || ')' from pg_class"
                      + " where reloptions is not null and oid = "
                      + oid));
      parts.add(
          "create table "
              + table
              + " (\n  "
              + String.join(",\n  ", lines)
              + "\n)"
              + parent
              + options);
      parts.addAll(
          Rows.of(
              connection,
              "select pg_get_indexdef(indexrelid) from pg_index where indrelid = "
                  + oid
                  + " and not exists (select from pg_constraint where conindid = indexrelid)"
                  + " order by 1"));
    }
    parts.addAll(
        inSchema("select rtrim(pg_get_functiondef(oid), E'\\n') from pg_proc where pronamespace"));
    parts.addAll(
        inSchema(
            "select pg_get_triggerdef(t.oid) from pg_trigger t join pg_class c on c.oid = tgrelid"
                + " where not tgisinternal and relnamespace"));
    return parts.stream()
        .map(part -> part.replace(schema + ".", "").replace('"' + schema + "\".", ""))
        .toList();
  }

  private List<String> inSchema(String query) throws SQLException {
    return Rows.of(
        connection,
        query + " = (select oid from pg_namespace where nspname = current_schema()) order by 1");
  }
}
