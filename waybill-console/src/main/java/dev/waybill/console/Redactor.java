package dev.waybill.console;

/** Decides what people get to see of payloads, outputs, keys and headers. */
@FunctionalInterface
public interface Redactor {
  /**
   * What to show instead of a text. What it throws hides the text.
   *
   * @param place whose text it is
   * @param text never null
   */
  String redact(Place place, String text);

  /**
   * Whose text it is.
   *
   * @param kind of which sort
   * @param type of the message, job or workflow; of a step, its job's, or its workflow's if it has
   *     none
   * @param name of a header; empty for others
   */
  record Place(Kind kind, String type, String name) {}

  /** Sorts of text. */
  enum Kind {
    MESSAGE_PAYLOAD,
    MESSAGE_KEY,
    MESSAGE_HEADER,
    JOB_PAYLOAD,
    JOB_CHECKPOINT,
    JOB_OUTPUT,
    WORKFLOW_INPUT,
    WORKFLOW_RESULT,
    STEP_PAYLOAD,
    STEP_OUTPUT
  }
}
