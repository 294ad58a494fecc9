package dev.waybill.internal.doctor;

import dev.waybill.DatabaseException;
import dev.waybill.DatabaseException.Kind;
import dev.waybill.Finding;
import dev.waybill.Finding.Severity;
import dev.waybill.internal.sql.Tx;
import java.util.ArrayList;
import java.util.List;

/** The pad: what was found so far. */
final class Findings {
  private final List<Finding> list = new ArrayList<>();

  /** Asks about one topic and writes down what it finds. */
  @FunctionalInterface
  interface Check {
    void examine(Patient patient, Findings findings);
  }

  /**
   * Something to be looked at.
   *
   * @param name to go on with "could not be examined"
   * @param grant what would allow it
   */
  record Topic(String name, String grant, Check check) {}

  void ok(String code, String what) {
    list.add(new Finding(code, Severity.OK, what, ""));
  }

  void note(String code, String what, String remedy) {
    list.add(new Finding(code, Severity.NOTE, what, remedy));
  }

  void warning(String code, String what, String remedy) {
    list.add(new Finding(code, Severity.WARNING, what, remedy));
  }

  void problem(String code, String what, String remedy) {
    list.add(new Finding(code, Severity.PROBLEM, what, remedy));
  }

  /** Whether nothing but what is fine was written down since there were so many. */
  boolean nothingSince(int size) {
    return list.size() == size;
  }

  int size() {
    return list.size();
  }

  List<Finding> list() {
    return List.copyOf(list);
  }

  /** A topic that fails does not keep the next one from being examined. */
  void examine(Topic topic, Patient patient) {
    try {
      topic.check().examine(patient, this);
    } catch (DatabaseException e) {
      if (e.kind() == Kind.DISCONNECTED) {
        throw e;
      }
      notExamined(topic, e);
    } catch (RuntimeException e) {
      warning(
          "not-examined",
          sentence(topic) + ": " + e,
          "This is an error in Waybill or a database that nobody expected: please report it.");
    }
  }

  private void notExamined(Topic topic, DatabaseException failure) {
    if (Tx.forbidden(failure)) {
      note(
          "not-examined",
          sentence(topic) + ": this user may not look at that.",
          topic.grant().isEmpty()
              ? "Grant what the database says is missing. " + failure.getMessage()
              : topic.grant());
    } else if (failure.kind() == Kind.CONTENTION) {
      warning(
          "not-examined",
          sentence(topic) + ": somebody holds a lock on it.",
          "Look for a migration or another change of tables that does not end. "
              + failure.getMessage());
    } else {
      warning(
          "not-examined",
          sentence(topic) + ": the database refused.",
          "Do what its message says. " + failure.getMessage());
    }
  }

  private static String sentence(Topic topic) {
    String name = topic.name();
    return Character.toUpperCase(name.charAt(0)) + name.substring(1) + " could not be examined";
  }
}
