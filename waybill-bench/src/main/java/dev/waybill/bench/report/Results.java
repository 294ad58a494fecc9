package dev.waybill.bench.report;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * All that a benchmark gave.
 *
 * @param started when, in ISO form
 * @param scale the size of its runs
 * @param machine what it ran on
 * @param servers versions by product
 * @param results all runs
 */
public record Results(
    String started,
    String scale,
    String machine,
    Map<String, String> servers,
    List<Result> results) {

  private static final ObjectMapper JSON =
      new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);
  private static final ObjectMapper LINE = new ObjectMapper();

  /** Writes everything to a file. */
  public void write(Path file) throws IOException {
    JSON.writeValue(file.toFile(), this);
  }

  /** Reads what was written. */
  public static Results read(Path file) throws IOException {
    return JSON.readValue(file.toFile(), Results.class);
  }

  /** One result in one line. */
  public static String line(Result result) throws IOException {
    return LINE.writeValueAsString(result);
  }

  /** The result in a line. */
  public static Result parse(String line) throws IOException {
    return LINE.readValue(line, new TypeReference<Result>() {});
  }
}
