package dev.waybill.internal.sql;

import dev.waybill.InvalidNameException;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What the tables are called: a prefix and, where the database has them, a schema. Both are
 * validated here and quoted when used; they are the only identifiers that do not come from our own
 * files.
 *
 * @param prefix what table names begin with, trailing underscore included
 * @param schema the schema (PostgreSQL) or database (MySQL, MariaDB), or null for the connection's
 *     own, which {@link Database} then looks up and pins
 */
public record Naming(String prefix, @Nullable String schema) {
  /** What the {@code .sql} files write. */
  static final String IN_FILES = "waybill_";

  private static final Pattern PREFIX = Pattern.compile("[A-Za-z][A-Za-z0-9_]*");

  /** Control and format characters, line separators, halves of characters. */
  private static final Pattern UNPRINTABLE = Pattern.compile("[\\p{C}\\p{Zl}\\p{Zp}]");

  private static final int SHOWN = 80;
  private static final int MAX_PREFIX = 36;
  private static final int MAX_IDENTIFIER = 63;

  public Naming {
    if (!PREFIX.matcher(prefix).matches() || prefix.length() > MAX_PREFIX) {
      throw new InvalidNameException(
          "Table prefix "
              + shown(prefix)
              + " is not usable: it must begin with an ASCII letter, continue with ASCII letters,"
              + " digits or underscores, and have at most "
              + MAX_PREFIX
              + " characters; for example \"acme_\".");
    }
    if (schema != null
        && (schema.isBlank()
            || schema.getBytes(StandardCharsets.UTF_8).length > MAX_IDENTIFIER
            || schema.chars().anyMatch(Character::isISOControl))) {
      throw new InvalidNameException(
          "Schema name "
              + shown(schema)
              + " is not usable: it must not be blank, hold no control characters, and have at most "
              + MAX_IDENTIFIER
              + " bytes.");
    }
  }

  /** The names of an installation that never chose any. */
  public static Naming standard() {
    return new Naming(IN_FILES, null);
  }

  Naming inSchema(@Nullable String resolved) {
    return new Naming(prefix, resolved);
  }

  /** The bare name that a name of the files stands for. */
  public String rename(String nameInFile) {
    String renamed = prefix + nameInFile.substring(IN_FILES.length());
    if (renamed.getBytes(StandardCharsets.UTF_8).length > MAX_IDENTIFIER) {
      throw new InvalidNameException(
          "Table prefix "
              + shown(prefix)
              + " makes the name "
              + renamed
              + " longer than the "
              + MAX_IDENTIFIER
              + " bytes that every database accepts: choose a shorter prefix.");
    }
    return renamed;
  }

  private static String shown(String name) {
    String clean = UNPRINTABLE.matcher(name).replaceAll("?");
    return '"' + (clean.length() > SHOWN ? clean.substring(0, SHOWN) + "…" : clean) + '"';
  }
}
