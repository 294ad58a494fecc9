package dev.waybill.console;

import java.util.Objects;

/**
 * Somebody who was let in.
 *
 * @param name for the record of what was done
 * @param role what they may do
 */
public record Principal(String name, Role role) {
  public Principal {
    Objects.requireNonNull(role, "role");
    if (name.isBlank()) {
      throw new IllegalArgumentException("A principal needs a name");
    }
  }
}
