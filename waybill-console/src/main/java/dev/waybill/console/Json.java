package dev.waybill.console;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads the small objects that requests have, and writes what answers have. */
final class Json {
  private static final JsonFactory FACTORY =
      JsonFactory.builder()
          .streamReadConstraints(StreamReadConstraints.builder().maxNestingDepth(16).build())
          .build();

  private Json() {}

  static String write(Object value) {
    StringWriter out = new StringWriter();
    try (JsonGenerator generator = FACTORY.createGenerator(out)) {
      write(generator, value);
    } catch (IOException e) {
      throw new UncheckedIOException("Writing to memory does not fail", e);
    }
    return out.toString();
  }

  private static void write(JsonGenerator generator, @Nullable Object value) throws IOException {
    if (value instanceof Doc doc) {
      write(generator, doc.members());
    } else if (value instanceof Map<?, ?> map) {
      generator.writeStartObject();
      for (Map.Entry<?, ?> entry : map.entrySet()) {
        generator.writeFieldName(String.valueOf(entry.getKey()));
        write(generator, entry.getValue());
      }
      generator.writeEndObject();
    } else if (value instanceof Iterable<?> list) {
      generator.writeStartArray();
      for (Object element : list) {
        write(generator, element);
      }
      generator.writeEndArray();
    } else if (value == null) {
      generator.writeNull();
    } else if (value instanceof Boolean flag) {
      generator.writeBoolean(flag);
    } else if (value instanceof Double number) {
      generator.writeNumber(number);
    } else if (value instanceof Number number) {
      generator.writeNumber(number.longValue());
    } else {
      generator.writeString(value.toString());
    }
  }

  /**
   * An object; values are maps, lists, texts, numbers, booleans or null.
   *
   * @throws Refusal if it is none
   */
  static Map<String, @Nullable Object> readObject(String text) {
    try (JsonParser parser = FACTORY.createParser(text)) {
      if (parser.nextToken() == JsonToken.START_OBJECT) {
        Map<String, @Nullable Object> object = object(parser);
        if (parser.nextToken() == null) {
          return object;
        }
      }
    } catch (JsonProcessingException e) {
      throw Refusal.invalid("The body is not JSON: " + e.getOriginalMessage());
    } catch (IOException e) {
      throw new UncheckedIOException("Reading from memory does not fail", e);
    }
    throw Refusal.invalid("The body must be one JSON object.");
  }

  private static Map<String, @Nullable Object> object(JsonParser parser) throws IOException {
    Map<String, @Nullable Object> object = new LinkedHashMap<>();
    while (parser.nextToken() != JsonToken.END_OBJECT) {
      String name = parser.currentName();
      parser.nextToken();
      object.put(name, value(parser));
    }
    return object;
  }

  private static @Nullable Object value(JsonParser parser) throws IOException {
    JsonToken token = parser.currentToken();
    return switch (token) {
      case START_OBJECT -> object(parser);
      case START_ARRAY -> {
        List<@Nullable Object> list = new ArrayList<>();
        while (parser.nextToken() != JsonToken.END_ARRAY) {
          list.add(value(parser));
        }
        yield list;
      }
      case VALUE_STRING -> parser.getText();
      case VALUE_NUMBER_INT -> parser.getLongValue();
      case VALUE_NUMBER_FLOAT -> parser.getDoubleValue();
      case VALUE_TRUE -> true;
      case VALUE_FALSE -> false;
      default -> null;
    };
  }
}
