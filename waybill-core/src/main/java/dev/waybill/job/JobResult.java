package dev.waybill.job;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** How an attempt ended, in the handler's words. */
public sealed interface JobResult {
  /** Work that joins the transaction in which the attempt is settled. */
  @FunctionalInterface
  interface Completing {
    /**
     * Writes; must neither commit nor roll back. What it throws makes the attempt a failure, unless
     * it says that somebody was in the way or the database was lost: then all of the transaction is
     * rolled back, and this is called again.
     */
    void write(Connection connection) throws SQLException;
  }

  /**
   * It is done.
   *
   * @param output JSON to keep with the job
   * @param completing what to write in the same transaction
   */
  record Success(@Nullable String output, @Nullable Completing completing) implements JobResult {
    /** With something to write in the transaction that makes the success durable. */
    public Success inTransaction(Completing value) {
      return new Success(output, value);
    }
  }

  /**
   * This run is done, and another shall follow with its attempts anew.
   *
   * @param delay how long from now
   * @param checkpoint JSON for the next run; null keeps what there is
   * @param completing what to write in the same transaction
   */
  record Continuation(Duration delay, @Nullable String checkpoint, @Nullable Completing completing)
      implements JobResult {
    /** With something to remember for the next run. */
    public Continuation withCheckpoint(String json) {
      return new Continuation(delay, json, completing);
    }

    /** With something to write in the transaction that makes the continuation durable. */
    public Continuation inTransaction(Completing value) {
      return new Continuation(delay, checkpoint, value);
    }
  }

  /**
   * It failed, and another attempt may help.
   *
   * @param code stable, for programs
   * @param message for people; without secrets
   * @param after the next attempt waits at least so long; what the policy says may be longer
   * @param notBefore the next attempt waits at least until then
   */
  record Retry(String code, String message, @Nullable Duration after, @Nullable Instant notBefore)
      implements JobResult {
    /** Not sooner than the other side said. */
    public Retry after(Duration value) {
      return new Retry(code, message, value, notBefore);
    }

    /** Not sooner than the other side said. */
    public Retry notBefore(Instant value) {
      return new Retry(code, message, after, value);
    }
  }

  /**
   * It failed, and no attempt can help.
   *
   * @param code stable, for programs
   * @param message for people; without secrets
   */
  record Failure(String code, String message) implements JobResult {}

  /** It is done. */
  static Success success() {
    return new Success(null, null);
  }

  /** It is done, and this came out. */
  static Success success(String outputJson) {
    return new Success(outputJson, null);
  }

  /** Another run shall follow. */
  static Continuation continueAfter(Duration delay) {
    return new Continuation(delay, null, null);
  }

  /** It failed, and another attempt may help. */
  static Retry retry(String code, String message) {
    return new Retry(code, message, null, null);
  }

  /** It failed, and no attempt can help. */
  static Failure fail(String code, String message) {
    return new Failure(code, message);
  }
}
