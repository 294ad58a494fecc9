package dev.waybill.internal.schema;

import dev.waybill.internal.sql.Dialect;
import dev.waybill.internal.sql.Statements;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A bundle of migrations for one dialect, in order, and the cutovers that complete them. */
final class Migrations {
  /**
   * The bundle of this release: {@code V…} are migrations, and {@code C…} is the cutover that
   * completes the migration of its number.
   */
  private static final List<String> OF_THIS_RELEASE =
      List.of("V001__guard", "V002__outbox", "V003__jobs", "V004__workflows");

  private static final Pattern NAME = Pattern.compile("([VC])(\\d+)__(\\w+)");

  private final List<Migration> all;
  private final List<Cutover> cutovers;

  private Migrations(List<Migration> all, List<Cutover> cutovers) {
    this.all = all;
    this.cutovers = cutovers;
  }

  static Migrations ofThisRelease(Dialect dialect) {
    return load("/dev/waybill/schema/", dialect, OF_THIS_RELEASE);
  }

  static Migrations load(String folder, Dialect dialect, List<String> names) {
    List<Migration> all = new ArrayList<>();
    List<Cutover> cutovers = new ArrayList<>();
    for (String name : names) {
      Matcher matcher = NAME.matcher(name);
      if (!matcher.matches()) {
        throw new IllegalArgumentException("Not a name of a migration or cutover: " + name);
      }
      String path = folder + dialect.folder() + "/";
      String text = Statements.resource(path + name + ".sql");
      String words = matcher.group(3).replace('_', ' ');
      long version = Long.parseLong(matcher.group(2));
      if (matcher.group(1).equals("C")) {
        if (all.stream().noneMatch(migration -> migration.version() == version)) {
          throw new IllegalArgumentException("No migration before it for the cutover " + name);
        }
        cutovers.add(Cutover.parse(version, words, text));
        continue;
      }
      if (!all.isEmpty() && all.get(all.size() - 1).version() >= version) {
        throw new IllegalArgumentException("Migrations out of order at " + name);
      }
      String undo = Statements.resource(path + "U" + name.substring(1) + ".sql");
      all.add(Migration.parse(version, words, text, undo));
    }
    return new Migrations(List.copyOf(all), List.copyOf(cutovers));
  }

  List<Migration> all() {
    return all;
  }

  List<Cutover> cutovers() {
    return cutovers;
  }

  Optional<Migration> find(long version) {
    return all.stream().filter(m -> m.version() == version).findFirst();
  }

  long first() {
    return all.get(0).version();
  }
}
