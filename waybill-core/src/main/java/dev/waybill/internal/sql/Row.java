package dev.waybill.internal.sql;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The current row of a result, read by column name. */
public final class Row {
  private final ResultSet result;

  Row(ResultSet result) {
    this.result = result;
  }

  private <T> T notNull(String column, @Nullable T value) throws SQLException {
    if (value == null || result.wasNull()) {
      throw new SQLException("Column " + column + " is null");
    }
    return value;
  }

  /** Turns a row into a value. */
  @FunctionalInterface
  public interface Reader<T> {
    /** Reads the current row. */
    T read(Row row) throws SQLException;
  }

  /** A column that is never null. */
  public long number(String column) throws SQLException {
    return notNull(column, result.getLong(column));
  }

  /** A column that may be null. */
  public @Nullable Long numberOrNull(String column) throws SQLException {
    long value = result.getLong(column);
    return result.wasNull() ? null : value;
  }

  /** A column that is never null. */
  public boolean flag(String column) throws SQLException {
    return notNull(column, result.getBoolean(column));
  }

  /** A column that is never null. */
  public String text(String column) throws SQLException {
    return notNull(column, result.getString(column));
  }

  /** A column that may be null. */
  public @Nullable String textOrNull(String column) throws SQLException {
    return result.getString(column);
  }

  /** A column that is never null. */
  public byte[] bytes(String column) throws SQLException {
    return notNull(column, result.getBytes(column));
  }

  /** A column that may be null. */
  public byte @Nullable [] bytesOrNull(String column) throws SQLException {
    return result.getBytes(column);
  }

  /** A column of texts on one database and of bytes on another; never null. */
  public byte[] bytesOrText(String column) throws SQLException {
    Object value = notNull(column, result.getObject(column));
    return value instanceof byte[] bytes
        ? bytes
        : String.valueOf(value).getBytes(StandardCharsets.UTF_8);
  }

  /** A column of microseconds since 1970 that is never null. */
  public Instant time(String column) throws SQLException {
    return Instant.EPOCH.plus(number(column), ChronoUnit.MICROS);
  }

  /** A column of microseconds since 1970 that may be null. */
  public @Nullable Instant timeOrNull(String column) throws SQLException {
    long micros = result.getLong(column);
    return result.wasNull() ? null : Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
  }

  /** An id that is never null. */
  public UUID uuid(String column) throws SQLException {
    return notNull(column, uuidOrNull(column));
  }

  /** An id that may be null. */
  public @Nullable UUID uuidOrNull(String column) throws SQLException {
    Object value = result.getObject(column);
    if (value == null || value instanceof UUID) {
      return (UUID) value;
    }
    if (value instanceof byte[] bytes) {
      ByteBuffer buffer = ByteBuffer.wrap(bytes);
      return new UUID(buffer.getLong(), buffer.getLong());
    }
    return UUID.fromString(value.toString());
  }
}
