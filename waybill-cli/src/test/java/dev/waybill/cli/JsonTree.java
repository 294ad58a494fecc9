package dev.waybill.cli;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** JSON as maps, lists and plain values, and what can be said of its shape. */
final class JsonTree {
  private static final int LONGEST = 60;

  private JsonTree() {}

  static Object parse(String text) {
    try (JsonParser parser = new JsonFactory().createParser(text)) {
      parser.nextToken();
      return value(parser);
    } catch (IOException e) {
      throw new UncheckedIOException(text, e);
    }
  }

  private static Object value(JsonParser parser) throws IOException {
    switch (parser.currentToken()) {
      case START_OBJECT -> {
        Map<String, Object> members = new LinkedHashMap<>();
        while (parser.nextToken() != JsonToken.END_OBJECT) {
          String name = parser.currentName();
          parser.nextToken();
          members.put(name, value(parser));
        }
        return members;
      }
      case START_ARRAY -> {
        List<Object> elements = new ArrayList<>();
        while (parser.nextToken() != JsonToken.END_ARRAY) {
          elements.add(value(parser));
        }
        return elements;
      }
      case VALUE_TRUE, VALUE_FALSE -> {
        return parser.getBooleanValue();
      }
      case VALUE_NUMBER_INT -> {
        return parser.getLongValue();
      }
      case VALUE_NUMBER_FLOAT -> {
        return parser.getDoubleValue();
      }
      default -> {
        return parser.getText();
      }
    }
  }

  /** One that has the members of both; a list has one element with all that its elements have. */
  static Object merged(Object one, Object other) {
    if (one instanceof Map<?, ?> left && other instanceof Map<?, ?> right) {
      Map<Object, Object> both = new LinkedHashMap<>(left);
      right.forEach((name, value) -> both.merge(name, value, JsonTree::merged));
      return both;
    }
    if (one instanceof List<?> left && other instanceof List<?> right) {
      List<Object> both = new ArrayList<>(left);
      both.addAll(right);
      return both;
    }
    return one;
  }

  /** For people: lists of one element that has all that the elements have, and no long texts. */
  static Object example(Object value) {
    if (value instanceof String text && text.length() > LONGEST) {
      return text.substring(0, LONGEST) + "…";
    }
    if (value instanceof Map<?, ?> map) {
      Map<Object, Object> members = new LinkedHashMap<>();
      map.forEach((name, member) -> members.put(name, example(member)));
      return members;
    }
    if (value instanceof List<?> list && !list.isEmpty()) {
      Object all = list.stream().map(Object.class::cast).reduce(JsonTree::merged).orElseThrow();
      return List.of(example(all));
    }
    return value;
  }

  /** Lines such as {@code queues[].partitions[].lag: number}. */
  static Set<String> shape(Object value) {
    Set<String> lines = new TreeSet<>();
    addShape(lines, "", value);
    return lines;
  }

  private static void addShape(Set<String> lines, String path, Object value) {
    if (value instanceof Map<?, ?> map) {
      map.forEach(
          (name, member) ->
              addShape(lines, path.isEmpty() ? "" + name : path + "." + name, member));
    } else if (value instanceof List<?> list) {
      list.forEach(element -> addShape(lines, path + "[]", element));
    } else {
      String kind =
          value instanceof Boolean ? "truth" : value instanceof Number ? "number" : "text";
      lines.add(path + ": " + kind);
    }
  }
}
