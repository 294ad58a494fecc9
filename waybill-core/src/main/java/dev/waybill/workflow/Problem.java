package dev.waybill.workflow;

import java.io.Serializable;

/**
 * One thing that is wrong with a workflow.
 *
 * @param code stable, for programs
 * @param step the key of the step it is about; empty if it is about the whole
 * @param message for people
 */
public record Problem(String code, String step, String message) implements Serializable {}
