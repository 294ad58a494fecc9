package dev.waybill.testkit;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

/** Text files that live beside the classes. */
final class Resource {

  private Resource() {}

  static String text(String name) throws IOException {
    try (InputStream in = Objects.requireNonNull(Resource.class.getResourceAsStream(name), name)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
