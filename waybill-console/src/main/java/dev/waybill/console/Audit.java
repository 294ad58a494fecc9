package dev.waybill.console;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The record of what was done: who, what, and how many; never payloads. */
final class Audit {
  private static final Logger log = LoggerFactory.getLogger("dev.waybill.console.audit");

  private Audit() {}

  static void done(Principal who, String what, Object subject, long howMany) {
    log.info("{} {} {}: {}", clean(who.name()), what, clean(subject.toString()), howMany);
  }

  static void refused(String who, String what, int status, String why) {
    log.info("{} {} refused ({}): {}", clean(who), clean(what), status, clean(why));
  }

  /** A line stays a line, whatever somebody calls a queue. */
  private static String clean(String text) {
    String line = text.replaceAll("[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}]", "?");
    return line.length() > 300 ? line.substring(0, 300) + "…" : line;
  }
}
