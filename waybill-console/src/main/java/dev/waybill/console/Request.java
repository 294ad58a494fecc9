package dev.waybill.console;

import java.time.DateTimeException;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What is asked, after the doorkeeper let it in.
 *
 * @param who asks
 * @param names the values of the path's variables
 * @param query the parameters behind the question mark
 * @param body the members of the JSON object that came along
 */
record Request(
    Principal who,
    Map<String, String> names,
    Map<String, String> query,
    Map<String, @Nullable Object> body) {
  static final int LARGEST_PAGE = 200;

  /** A variable of the path. */
  String name(String variable) {
    return Objects.requireNonNull(names.get(variable), variable);
  }

  UUID id(String variable) {
    return uuid(name(variable));
  }

  static UUID uuid(String text) {
    try {
      return UUID.fromString(text);
    } catch (IllegalArgumentException e) {
      throw Refusal.invalid("An id looks like 0190f3c2-….");
    }
  }

  /** A parameter; empty text counts as none. */
  Optional<String> query(String parameter) {
    return Optional.ofNullable(query.get(parameter)).filter(text -> !text.isEmpty());
  }

  Optional<UUID> queryId(String parameter) {
    return query(parameter).map(Request::uuid);
  }

  int limit() {
    return query("limit")
        .map(text -> (int) Math.max(1, Math.min(LARGEST_PAGE, number("limit", text))))
        .orElse(50);
  }

  static long number(String what, String text) {
    try {
      return Long.parseLong(text);
    } catch (NumberFormatException e) {
      throw Refusal.invalid(what + " must be a number.");
    }
  }

  static Instant time(String what, String text) {
    try {
      return Instant.parse(text);
    } catch (DateTimeException e) {
      throw Refusal.invalid(what + " must be a time such as 2026-01-31T12:00:00Z.");
    }
  }

  static <E extends Enum<E>> E word(Class<E> type, String text) {
    try {
      return Enum.valueOf(type, text.toUpperCase(Locale.ROOT));
    } catch (IllegalArgumentException e) {
      throw Refusal.invalid("'" + text + "' is none of " + List.of(type.getEnumConstants()) + ".");
    }
  }

  /** A member of the body that is a text. */
  Optional<String> text(String member) {
    Object value = body.get(member);
    if (value == null) {
      return Optional.empty();
    }
    if (value instanceof String text) {
      return Optional.of(text).filter(given -> !given.isBlank());
    }
    throw Refusal.invalid(member + " must be a text.");
  }

  /** Why somebody does it, for the record. */
  String reason() {
    return text("reason").orElse("by " + who.name() + " in the console");
  }
}
