package dev.waybill.internal.sql;

import java.nio.ByteBuffer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/** One execution of a named statement: set the parameters, then ask for what you need, once. */
public final class Query {
  private static final Set<Class<?>> BINDABLE =
      Set.of(Short.class, Integer.class, Long.class, String.class, Boolean.class);

  private final Connection connection;
  private final Dialect dialect;
  private final Sql sql;
  private final int patience;
  private final Map<String, @Nullable Object> values = new HashMap<>();
  private final List<@Nullable Object[]> rows = new ArrayList<>();
  private boolean commits;

  /** Takes at most so many seconds; 0 for as long as it takes. */
  Query(Connection connection, Dialect dialect, Sql sql, int patience) {
    this.connection = connection;
    this.dialect = dialect;
    this.sql = sql;
    this.patience = patience;
  }

  /** A whole number, a text, bytes, a truth value, a time, an id or null. */
  public Query set(String parameter, @Nullable Object value) {
    if (!sql.knows(parameter)) {
      throw new IllegalArgumentException(
          "Statement " + sql.name() + " has no parameter :" + parameter);
    }
    values.put(parameter, value);
    return this;
  }

  /** A time, bound as microseconds since 1970. */
  public Query time(String parameter, @Nullable Instant value) {
    return set(parameter, value == null ? null : Micros.of(value));
  }

  /** An array of big integers (PostgreSQL). */
  public Query longs(String parameter, long[] value) {
    return set(
        parameter, new Elements("bigint", LongStream.of(value).boxed().toArray(Long[]::new)));
  }

  /** An array of big integers, each perhaps null (PostgreSQL). */
  public Query longs(String parameter, List<@Nullable Long> value) {
    return set(parameter, new Elements("bigint", value.toArray(new Long[0])));
  }

  /** An array of texts, each perhaps null (PostgreSQL). */
  public Query texts(String parameter, List<@Nullable String> value) {
    return set(parameter, new Elements("text", value.toArray(new String[0])));
  }

  /** An array of ids (PostgreSQL). */
  public Query uuids(String parameter, List<UUID> value) {
    return set(parameter, new Elements("uuid", value.toArray(new UUID[0])));
  }

  /** An array of byte strings (PostgreSQL). */
  public Query blobs(String parameter, List<byte[]> value) {
    return set(parameter, new Elements("bytea", value.toArray(new byte[0][])));
  }

  /**
   * One more repetition of the statement's row, its values in the order they are written there.
   * There can be as many as all parameters together fit the protocol: 65,535 on PostgreSQL, MySQL
   * and MariaDB, 32,766 on SQLite as it comes (its driver allows more). Whoever has more executes
   * several statements.
   */
  public Query row(@Nullable Object... row) {
    if (row.length != sql.rowParameters().size()) {
      throw new IllegalArgumentException(
          "Statement "
              + sql.name()
              + " repeats "
              + sql.rowParameters()
              + ", but "
              + row.length
              + " values were given");
    }
    rows.add(row);
    return this;
  }

  /**
   * Has the transaction committed behind the statement, in one round trip with it, so that nothing
   * may follow but its end (PostgreSQL). If either fails, neither was done.
   */
  public Query andCommit() {
    if (dialect != Dialect.POSTGRES) {
      throw new IllegalStateException("Only PostgreSQL takes two statements at once");
    }
    commits = true;
    return this;
  }

  /** Executes and says how many rows changed. */
  public int update() {
    return run(PreparedStatement::executeUpdate);
  }

  /** Executes an insert and says which id the database gave its first row (MySQL and MariaDB). */
  public long key() {
    return run(
        statement -> {
          statement.executeUpdate();
          try (ResultSet keys = statement.getGeneratedKeys()) {
            if (!keys.next()) {
              throw new SQLException("The driver does not tell the ids of rows");
            }
            return keys.getLong(1);
          }
        },
        Statement.RETURN_GENERATED_KEYS);
  }

  /** Executes, whatever comes back. */
  public void execute() {
    run(PreparedStatement::execute);
  }

  /** All rows. */
  public <T> List<T> list(Row.Reader<T> reader) {
    return list(reader, each -> false);
  }

  /**
   * The rows up to and with the first that is enough. A driver that waits to be asked reads no
   * more.
   */
  public <T> List<T> list(Row.Reader<T> reader, Predicate<T> enough) {
    return run(
        statement -> {
          List<T> all = new ArrayList<>();
          try (ResultSet result = rows(statement)) {
            Row row = new Row(result);
            boolean more = true;
            while (more && result.next()) {
              T each = reader.read(row);
              all.add(each);
              more = !enough.test(each);
            }
          }
          return all;
        });
  }

  /** The only row, or none. */
  public <T> Optional<T> first(Row.Reader<T> reader) {
    List<T> all = list(reader);
    if (all.size() > 1) {
      throw new IllegalStateException(
          "Statement " + sql.name() + " gave " + all.size() + " rows where one was expected");
    }
    return all.stream().findFirst();
  }

  /** The only row. */
  public <T> T one(Row.Reader<T> reader) {
    return first(reader)
        .orElseThrow(() -> new IllegalStateException("Statement " + sql.name() + " gave no row"));
  }

  private ResultSet rows(PreparedStatement statement) throws SQLException {
    if (!commits) {
      return statement.executeQuery();
    }
    statement.execute();
    return statement.getResultSet();
  }

  private interface Call<T> {
    T on(PreparedStatement statement) throws SQLException;
  }

  private <T> T run(Call<T> call) {
    return run(call, Statement.NO_GENERATED_KEYS);
  }

  private <T> T run(Call<T> call, int keys) {
    if (sql.repeats() && rows.isEmpty()) {
      throw new IllegalStateException("Statement " + sql.name() + " needs at least one row");
    }
    String text = commits ? sql.text(rows.size()) + "; commit" : sql.text(rows.size());
    try (PreparedStatement statement = prepare(text, keys)) {
      if (patience > 0) {
        statement.setQueryTimeout(patience);
      }
      if (commits) {
        // Rows that are fetched in turns would be asked for when their transaction is over.
        statement.setFetchSize(0);
      }
      if (sql.plannedAnew()) {
        FreshPlan.of(statement);
      }
      int at = bind(statement, 1, sql.headParameters());
      for (@Nullable Object[] row : rows) {
        for (Object value : row) {
          bind(statement, at++, value);
        }
      }
      bind(statement, at, sql.tailParameters());
      return call.on(statement);
    } catch (SQLException e) {
      throw SqlFailure.of(dialect, "Statement " + sql.name(), e);
    }
  }

  private PreparedStatement prepare(String text, int keys) throws SQLException {
    return keys == Statement.NO_GENERATED_KEYS
        ? connection.prepareStatement(text)
        : connection.prepareStatement(text, keys);
  }

  private int bind(PreparedStatement statement, int from, List<String> parameters)
      throws SQLException {
    int at = from;
    for (String parameter : parameters) {
      if (!values.containsKey(parameter)) {
        throw new IllegalStateException(
            "Statement " + sql.name() + ": parameter :" + parameter + " was not set");
      }
      bind(statement, at++, values.get(parameter));
    }
    return at;
  }

  private void bind(PreparedStatement statement, int at, @Nullable Object value)
      throws SQLException {
    if (value instanceof Elements array) {
      statement.setArray(at, connection.createArrayOf(array.type(), array.elements()));
    } else if (value instanceof byte[] bytes) {
      statement.setBytes(at, bytes);
    } else if (value instanceof Instant time) {
      statement.setLong(at, Micros.of(time));
    } else if (value instanceof UUID id) {
      bind(statement, at, id);
    } else if (value == null || BINDABLE.contains(value.getClass())) {
      statement.setObject(at, value);
    } else {
      // Some driver would store it in a form of its own.
      throw new IllegalArgumentException(
          "Statement " + sql.name() + ": a " + value.getClass().getName() + " cannot be bound");
    }
  }

  /** Each database has its own idea of 16 bytes; {@link Row#uuid} is the way back. */
  private void bind(PreparedStatement statement, int at, UUID id) throws SQLException {
    switch (dialect) {
      case POSTGRES -> statement.setObject(at, id);
      case MYSQL, MARIADB ->
          statement.setBytes(
              at,
              ByteBuffer.allocate(16)
                  .putLong(id.getMostSignificantBits())
                  .putLong(id.getLeastSignificantBits())
                  .array());
      case SQLITE -> statement.setString(at, id.toString());
    }
  }

  @SuppressWarnings("ArrayRecordComponent") // Lives from binding to executing; never compared.
  private record Elements(String type, @Nullable Object[] elements) {}
}
