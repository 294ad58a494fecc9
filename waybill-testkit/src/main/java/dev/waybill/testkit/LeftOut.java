package dev.waybill.testkit;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The databases that whoever runs the tests asked to leave out. */
final class LeftOut {

  static final String PROPERTY = "waybill.test.without";

  private final List<String> names;

  private LeftOut(List<String> names) {
    this.names = names;
  }

  static LeftOut fromSystemProperty() {
    return of(System.getProperty(PROPERTY, ""));
  }

  static LeftOut of(String commaSeparated) {
    List<String> names =
        Stream.of(commaSeparated.split(",", -1))
            .map(String::strip)
            .filter(name -> !name.isEmpty())
            .toList();
    for (String name : names) {
      if (Arrays.stream(Edition.values()).noneMatch(edition -> edition.isNamed(name))) {
        String known =
            Arrays.stream(Edition.values()).map(Edition::id).collect(Collectors.joining(", "));
        throw new IllegalArgumentException(
            "No database is called " + name + "; there are " + known);
      }
    }
    return new LeftOut(names);
  }

  boolean contains(Edition edition) {
    return names.stream().anyMatch(edition::isNamed);
  }

  boolean isEmpty() {
    return names.isEmpty();
  }

  @Override
  public String toString() {
    return String.join(",", names);
  }
}
