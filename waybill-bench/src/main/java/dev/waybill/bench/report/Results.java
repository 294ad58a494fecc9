package dev.waybill.bench.report;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

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

  /**
   * Reads several runs as one. They are of one scale and one machine. A scenario of more than one
   * run has the repetitions of all of them, one run's after the other's: ratios are taken within
   * one.
   */
  public static Results read(List<Path> files) throws IOException {
    Set<String> started = new TreeSet<>();
    Set<String> scales = new TreeSet<>();
    Set<String> machines = new TreeSet<>();
    Map<String, String> servers = new TreeMap<>();
    List<Result> results = new ArrayList<>();
    Map<String, Integer> repetitions = new HashMap<>();
    for (Path file : files) {
      Results each = read(file);
      Map<String, Integer> before = Map.copyOf(repetitions);
      started.add(each.started());
      scales.add(each.scale());
      machines.add(each.machine());
      servers.putAll(each.servers());
      for (Result result : each.results()) {
        int repetition = before.getOrDefault(result.scenario(), 0) + result.repetition();
        repetitions.merge(result.scenario(), repetition, Math::max);
        results.add(result.repetition(repetition));
      }
    }
    if (scales.size() != 1 || machines.size() != 1) {
      throw new IllegalArgumentException(
          "These runs cannot be compared: scales " + scales + ", machines " + machines);
    }
    results.sort(Comparator.comparing(Results::place));
    return new Results(
        String.join(", ", started),
        scales.iterator().next(),
        machines.iterator().next(),
        servers,
        results);
  }

  private static int place(Result result) {
    return Integer.parseInt(result.scenario().substring(1));
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
