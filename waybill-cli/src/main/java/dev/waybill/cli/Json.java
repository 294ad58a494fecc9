package dev.waybill.cli;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Writes maps, lists and plain values as JSON. */
final class Json {
  private static final JsonFactory FACTORY = new JsonFactory();

  private Json() {}

  static String write(@Nullable Object value) {
    StringWriter out = new StringWriter();
    try (JsonGenerator generator = FACTORY.createGenerator(out)) {
      generator.setPrettyPrinter(new DefaultPrettyPrinter());
      write(generator, value);
    } catch (IOException e) {
      throw new UncheckedIOException("Writing to memory does not fail", e);
    }
    return withoutControls(out.toString());
  }

  /**
   * The generator escapes those below the space only. Whatever stands here now is the indentation
   * or a part of a text.
   */
  private static String withoutControls(String json) {
    StringBuilder shown = new StringBuilder(json.length());
    for (int i = 0; i < json.length(); i++) {
      char each = json.charAt(i);
      if (each > ' ' && Character.isISOControl(each)) {
        shown.append(String.format(Locale.ROOT, "\\u%04x", (int) each));
      } else {
        shown.append(each);
      }
    }
    return shown.toString();
  }

  private static void write(JsonGenerator generator, @Nullable Object value) throws IOException {
    if (value instanceof Map<?, ?> map) {
      generator.writeStartObject();
      // Some maps have another order in every process.
      Map<?, ?> stable = map instanceof LinkedHashMap<?, ?> ? map : new TreeMap<>(map);
      for (Map.Entry<?, ?> entry : stable.entrySet()) {
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
}
