package dev.waybill.internal.sql;

import java.lang.reflect.InvocationTargetException;
import java.sql.PreparedStatement;
import java.sql.SQLException;

/**
 * Has PostgreSQL plan a statement each time it is executed. Its driver prepares for good what is
 * executed often, and the server then keeps one plan until the table's statistics change. Made
 * while the table is small, that plan reads all of it; minutes of a burst may pass until somebody
 * notices. A plan made for the table as it is now costs a fraction of a millisecond.
 *
 * <p>The driver is reached by its public interface through reflection: this library does not depend
 * on any. Another driver than PostgreSQL's own is left as it is.
 */
final class FreshPlan {
  private FreshPlan() {}

  static void of(PreparedStatement statement) throws SQLException {
    PreparedStatement driver = statement.unwrap(PreparedStatement.class);
    try {
      Class<?> type =
          Class.forName("org.postgresql.PGStatement", true, driver.getClass().getClassLoader());
      type.getMethod("setPrepareThreshold", int.class).invoke(statement.unwrap(type), 0);
    } catch (InvocationTargetException e) {
      if (e.getCause() instanceof SQLException failure) {
        throw failure;
      }
      throw new IllegalStateException("The driver refuses to plan anew", e);
    } catch (ReflectiveOperationException anotherDriver) {
      // It plans as it likes.
    }
  }
}
