package dev.waybill.internal.schema;

import dev.waybill.internal.sql.Dialect;
import dev.waybill.internal.sql.Statements;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongPredicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What migrations leave behind, read off their own statements. All names are those of the files.
 *
 * @param tables also the history
 * @param indexes those that have a name
 * @param sequences with their cache
 */
public record Inventory(Set<String> tables, Set<Index> indexes, Map<String, Long> sequences) {
  private static final String PRIMARY = "PRIMARY";
  private static final String NAME = "(waybill_\\w+)";
  private static final Pattern TABLE =
      pattern("create table (?:if not exists )?" + NAME + " ?\\((.*)");
  private static final Pattern INDEX =
      pattern("create (?:unique )?index " + NAME + " on " + NAME + "\\b.*");
  private static final Pattern SEQUENCE =
      pattern("create sequence " + NAME + "\\b.*\\bcache (\\d+).*");
  private static final Pattern DROP =
      pattern("drop (?:table|index|sequence) (?:if exists )?(?:\\{schema}\\.)?" + NAME + "\\b.*");
  private static final Pattern CONSTRAINT =
      pattern("constraint " + NAME + " (?:primary key|unique)\\b");
  private static final Pattern KEY = pattern("\\bkey " + NAME + " ?\\(");
  private static final Pattern UNNAMED_KEY = pattern("\\bprimary key ?\\(");

  /** An index of a table. */
  public record Index(String table, String name) {
    /** The primary key, where it has no name of ours. */
    public boolean isPrimary() {
      return name.equals(PRIMARY);
    }
  }

  public Inventory {
    tables = Collections.unmodifiableSet(new LinkedHashSet<>(tables));
    indexes = Collections.unmodifiableSet(new LinkedHashSet<>(indexes));
    sequences = Collections.unmodifiableMap(new LinkedHashMap<>(sequences));
  }

  private static Pattern pattern(String words) {
    return Pattern.compile("(?is)" + words);
  }

  /** What those of this release's migrations leave behind that were applied. */
  public static Inventory ofThisRelease(Dialect dialect, LongPredicate applied) {
    List<Migration> migrations =
        Migrations.ofThisRelease(dialect).all().stream()
            .filter(migration -> applied.test(migration.version()))
            .toList();
    Draft draft = new Draft(dialect);
    if (!migrations.isEmpty()) {
      String guard = Statements.resource("/dev/waybill/sql/" + dialect.folder() + "/schema.sql");
      draft.add(Statements.blocks(guard).getOrDefault("schema_history_create", ""));
      migrations.forEach(migration -> migration.statements().forEach(draft::add));
    }
    return new Inventory(draft.tables, draft.indexes, draft.sequences);
  }

  /** Statement by statement. */
  private static final class Draft {
    private final Dialect dialect;
    private final Set<String> tables = new LinkedHashSet<>();
    private final Set<Index> indexes = new LinkedHashSet<>();
    private final Map<String, Long> sequences = new LinkedHashMap<>();

    Draft(Dialect dialect) {
      this.dialect = dialect;
    }

    void add(String statement) {
      String text = statement.strip().replaceAll("\\s+", " ");
      Matcher table = TABLE.matcher(text);
      Matcher index = INDEX.matcher(text);
      Matcher sequence = SEQUENCE.matcher(text);
      Matcher drop = DROP.matcher(text);
      if (table.matches()) {
        tables.add(table.group(1));
        addIndexes(table.group(1), table.group(2));
      } else if (index.matches()) {
        indexes.add(new Index(index.group(2), index.group(1)));
      } else if (sequence.matches()) {
        sequences.put(sequence.group(1), Long.parseLong(sequence.group(2)));
      } else if (drop.matches()) {
        drop(drop.group(1));
      }
    }

    /** What SQLite makes of a key inside a table has a name of its own, or none. */
    private void addIndexes(String table, String definition) {
      switch (dialect) {
        case POSTGRES -> named(table, CONSTRAINT, definition);
        case MYSQL, MARIADB -> {
          if (UNNAMED_KEY.matcher(definition).find()) {
            indexes.add(new Index(table, PRIMARY));
          }
          named(table, KEY, definition);
        }
        case SQLITE -> {}
      }
    }

    private void named(String table, Pattern pattern, String definition) {
      Matcher matcher = pattern.matcher(definition);
      while (matcher.find()) {
        indexes.add(new Index(table, matcher.group(1)));
      }
    }

    private void drop(String name) {
      tables.remove(name);
      sequences.remove(name);
      indexes.removeIf(index -> index.name().equals(name) || index.table().equals(name));
    }
  }
}
