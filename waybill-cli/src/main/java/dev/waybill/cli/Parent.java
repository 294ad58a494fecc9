package dev.waybill.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** A command that only groups others: called alone, it is wrong usage and says what there is. */
abstract class Parent implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @SuppressWarnings("NullAway.Init") // picocli sets the injected fields
  Parent() {}

  @Override
  public final Integer call() {
    throw new ParameterException(
        spec.commandLine(), "Say which: " + String.join(", ", spec.subcommands().keySet()) + ".");
  }
}
