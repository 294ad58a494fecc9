package dev.waybill.cli;

import dev.waybill.outbox.DeadLetter;
import dev.waybill.outbox.DeadLetterClaim;
import dev.waybill.outbox.DeadLetterFilter;
import dev.waybill.outbox.DeadLetterStatus;
import dev.waybill.outbox.DeadLetters;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code waybill dead-letters …}: messages that were given up, and what to do about them. */
@Command(
    name = "dead-letters",
    description = "Messages that were given up: look at them, deliver them again, or drop them.",
    mixinStandardHelpOptions = true,
    synopsisSubcommandLabel = "COMMAND")
final class DeadLettersCommand extends Parent {
  /** Changes dead letters and says how many. */
  private interface Change {
    int run(DeadLetters deadLetters);
  }

  @Command(
      name = "list",
      description = "List them, those that failed last first.",
      mixinStandardHelpOptions = true)
  int list(
      @Mixin Operator operator,
      @Mixin Output output,
      @Mixin DeadLetterOptions which,
      @Option(
              names = "--status",
              paramLabel = "STATUS",
              defaultValue = "pending",
              description = "pending, reprocessing, resolved or discarded (${DEFAULT-VALUE}).")
          DeadLetterStatus status,
      @Option(names = "--any-status", description = "Whatever their status.") boolean any)
      throws Exception {
    return operator.with(
        outbox -> {
          DeadLetterFilter filter = which.filter(any ? null : status);
          List<DeadLetter> list = outbox.deadLetters().list(filter);
          long all = outbox.deadLetters().count(filter);
          output.show(
              DeadLetterText.table(list, all),
              Map.of(
                  "count",
                  all,
                  "dead_letters",
                  list.stream().map(each -> DeadLetterText.document(each, false)).toList()));
          return ExitCode.FINE;
        });
  }

  @Command(
      name = "show",
      description = "Show one with its headers and payload.",
      mixinStandardHelpOptions = true)
  int show(
      @Mixin Operator operator,
      @Mixin Output output,
      @Parameters(paramLabel = "ID", description = "From the list.") long id)
      throws Exception {
    return operator.with(
        outbox -> {
          List<DeadLetter> found =
              outbox.deadLetters().list(DeadLetterFilter.defaults().anyStatus().ids(List.of(id)));
          if (found.isEmpty()) {
            return output.complain("there is no dead letter " + id + ".");
          }
          output.show(
              DeadLetterText.whole(found.get(0)), DeadLetterText.document(found.get(0), true));
          return ExitCode.FINE;
        });
  }

  @Command(
      name = "replay",
      description = {
        "Claim some and print them as JSON with the claim's token, for a script that deals with them.",
        "It then calls resolve, or lets the claim end."
      },
      mixinStandardHelpOptions = true)
  int replay(
      @Mixin Operator operator,
      @Mixin Output output,
      @Mixin DeadLetterOptions which,
      @Option(
              names = "--timeout",
              defaultValue = "300",
              paramLabel = "SECONDS",
              description = "How long the claim lasts (${DEFAULT-VALUE}).")
          int seconds)
      throws Exception {
    return operator.with(
        outbox -> {
          DeadLetterClaim claim =
              outbox.deadLetters().claim(which.filter(), Duration.ofSeconds(seconds));
          output.show(
              DeadLetterText.claim(claim),
              Map.of(
                  "token",
                  claim.token(),
                  "dead_letters",
                  claim.deadLetters().stream()
                      .map(each -> DeadLetterText.document(each, true))
                      .toList()));
          return ExitCode.FINE;
        });
  }

  @Command(
      name = "resolve",
      description = "Say that claimed ones were dealt with.",
      mixinStandardHelpOptions = true)
  int resolve(
      @Mixin Operator operator,
      @Mixin Output output,
      @Option(names = "--token", required = true, description = "Of the claim.") String token,
      @Parameters(paramLabel = "ID", arity = "1..*", description = "Which.") List<Long> ids)
      throws Exception {
    return operator.with(
        outbox -> change(outbox.deadLetters(), output, "Resolved", all -> all.resolve(token, ids)));
  }

  @Command(
      name = "requeue",
      description = "Deliver them again, as new messages at the end of their partitions.",
      mixinStandardHelpOptions = true)
  int requeue(
      @Mixin Operator operator,
      @Mixin Output output,
      @Mixin DeadLetterOptions which,
      @Mixin Confirmation confirmation)
      throws Exception {
    DeadLetterFilter filter = which.filter();
    return operator.with(
        outbox -> {
          DeadLetters all = outbox.deadLetters();
          return confirmation.before(
              output,
              "requeue " + concerned(all, filter),
              () -> change(all, output, "Requeued", letters -> letters.requeue(filter)));
        });
  }

  @Command(
      name = "discard",
      description = "Give them up for good; they stay until a clean-up.",
      mixinStandardHelpOptions = true)
  int discard(
      @Mixin Operator operator,
      @Mixin Output output,
      @Mixin DeadLetterOptions which,
      @Mixin Confirmation confirmation)
      throws Exception {
    DeadLetterFilter filter = which.filter();
    return operator.with(
        outbox -> {
          DeadLetters all = outbox.deadLetters();
          return confirmation.before(
              output,
              "discard " + concerned(all, filter),
              () -> change(all, output, "Discarded", letters -> letters.discard(filter)));
        });
  }

  @Command(
      name = "cleanup",
      description = "Remove those that were resolved or discarded long ago.",
      mixinStandardHelpOptions = true)
  int cleanup(
      @Mixin Operator operator,
      @Mixin Output output,
      @Mixin DeadLetterOptions which,
      @Mixin Confirmation confirmation,
      @Option(
              names = "--older-than",
              required = true,
              paramLabel = "DAYS",
              description = "Resolved or discarded at least so many days ago.")
          int days)
      throws Exception {
    DeadLetterFilter filter = which.filter().anyStatus();
    return operator.with(
        outbox ->
            confirmation.before(
                output,
                "remove at most "
                    + filter.limit()
                    + " dead letters that were dealt with more than "
                    + days
                    + " days ago",
                () ->
                    change(
                        outbox.deadLetters(),
                        output,
                        "Removed",
                        letters -> letters.cleanup(filter, Duration.ofDays(days)))));
  }

  private static String concerned(DeadLetters letters, DeadLetterFilter filter) {
    long many = Math.min(letters.count(filter), filter.limit());
    return many == 1 ? "1 dead letter" : many + " dead letters";
  }

  private static int change(DeadLetters letters, Output output, String verb, Change change) {
    int changed = change.run(letters);
    output.show(verb + " " + changed + ".", Map.of("changed", changed));
    return ExitCode.FINE;
  }
}
