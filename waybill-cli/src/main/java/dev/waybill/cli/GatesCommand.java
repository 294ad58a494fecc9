package dev.waybill.cli;

import dev.waybill.job.Scope;
import dev.waybill.workflow.WaitingGate;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** {@code waybill workflows gates}: what waits for somebody. */
@Command(
    name = "gates",
    description = "List the gates that wait for somebody, the longest first, whatever their age.",
    mixinStandardHelpOptions = true)
final class GatesCommand implements Callable<Integer> {
  @Mixin private Operator operator = new Operator();
  @Mixin private Output output = new Output();

  @Option(names = "--tenant", paramLabel = "TENANT", description = "Of this tenant.")
  private @Nullable String tenant;

  @Option(
      names = "--after",
      paramLabel = "SINCE/ID",
      converter = Place.class,
      description = "The page after this gate: since when it waits, and the id of its step.")
  private WaitingGate.@Nullable Position after;

  @Option(
      names = "--limit",
      paramLabel = "N",
      defaultValue = "20",
      description = "At most so many (${DEFAULT-VALUE}).")
  private int limit;

  /** Where a page ended, as somebody types it. */
  static final class Place implements ITypeConverter<WaitingGate.Position> {
    @Override
    public WaitingGate.Position convert(String text) {
      int between = text.indexOf('/');
      try {
        return new WaitingGate.Position(
            Instant.parse(text.substring(0, Math.max(0, between))),
            UUID.fromString(text.substring(between + 1)));
      } catch (DateTimeException | IllegalArgumentException e) {
        throw new TypeConversionException(
            "'"
                + text
                + "' is not like 2026-01-31T12:00:00Z/01a1ec60-63e2-7000-811f-012498d6e1a2.");
      }
    }
  }

  @Override
  public Integer call() throws Exception {
    return operator.withWaybill(
        waybill -> {
          Scope scope = tenant == null ? Scope.admin() : Scope.tenant(tenant);
          List<WaitingGate> gates = waybill.workflows().waitingGates(scope, after, limit);
          NextPage next = NextPage.after(gates, limit, gate -> gate.since() + "/" + gate.id());
          output.show(
              next.below(table(gates)),
              next.in("gates", gates.stream().map(GatesCommand::document).toList()));
          return ExitCode.FINE;
        });
  }

  private static String table(List<WaitingGate> gates) {
    Table table = new Table("run", "gate", "type", "since", "timer");
    gates.forEach(
        gate -> table.row(gate.run(), gate.step(), gate.type(), gate.since(), gate.timerAt()));
    return table.text();
  }

  private static Map<String, Object> document(WaitingGate gate) {
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("id", gate.id());
    document.put("workflow", gate.run());
    document.put("type", gate.type());
    document.put("scope", JobText.scope(gate.scope()));
    document.put("step", gate.step());
    document.put("since", gate.since());
    JobText.put(document, "timer_at", gate.timerAt());
    return document;
  }
}
