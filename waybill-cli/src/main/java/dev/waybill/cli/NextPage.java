package dev.waybill.cli;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * How to go on after a page of a list.
 *
 * @param after what to say to get the next one; null if this is the last
 */
record NextPage(@Nullable String after) {
  /** A full page may be followed by another, one that is not full never is. */
  static <T> NextPage after(List<T> page, int limit, Function<T, String> place) {
    return new NextPage(page.size() < limit ? null : place.apply(page.get(page.size() - 1)));
  }

  String below(String text) {
    return after == null
        ? text
        : text + System.lineSeparator() + "There may be more: --after " + after;
  }

  Map<String, Object> in(String name, List<Map<String, Object>> rows) {
    Map<String, Object> document = new LinkedHashMap<>();
    document.put(name, rows);
    JobText.put(document, "next", after);
    return document;
  }
}
