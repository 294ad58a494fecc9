package dev.waybill.cli.demo;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the demo is to do; handed to the child as arguments.
 *
 * @param folder where files go
 * @param rate orders per second
 * @param run tells its orders from those that an earlier demo left in the same database
 */
public record Settings(
    String url,
    @Nullable String user,
    @Nullable String passwordVariable,
    Path folder,
    int rate,
    String run) {

  boolean isOurs(String order) {
    return order.startsWith(run + "-");
  }

  Path shipments() {
    return folder.resolve("shipments.txt");
  }

  List<String> arguments() {
    List<String> arguments = new ArrayList<>(List.of("demo-service", "--url", url));
    if (user != null) {
      arguments.addAll(List.of("--user", user));
    }
    if (passwordVariable != null) {
      arguments.addAll(List.of("--password-env", passwordVariable));
    }
    arguments.addAll(List.of("--folder", folder.toString(), "--rate", Integer.toString(rate)));
    arguments.addAll(List.of("--run", run));
    return arguments;
  }
}
