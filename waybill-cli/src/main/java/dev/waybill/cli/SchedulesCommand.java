package dev.waybill.cli;

import dev.waybill.Waybill;
import dev.waybill.job.Enqueued;
import dev.waybill.job.ScheduleFire;
import dev.waybill.job.ScheduleInfo;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code waybill schedules …}: jobs that come back. */
@Command(
    name = "schedules",
    description = "Schedules: look at them and their times, pause, resume and trigger them.",
    mixinStandardHelpOptions = true,
    synopsisSubcommandLabel = "COMMAND")
final class SchedulesCommand extends Parent {
  private static final int LATEST = 10;

  @Command(name = "list", description = "List them by name.", mixinStandardHelpOptions = true)
  int list(@Mixin Operator operator, @Mixin Output output) throws Exception {
    return operator.withWaybill(
        waybill -> {
          List<ScheduleInfo> all = waybill.jobs().schedules().list();
          Table table = new Table("name", "type", "rule", "zone", "next", "last", "state");
          for (ScheduleInfo each : all) {
            table.row(
                each.schedule().name(),
                each.schedule().type(),
                each.schedule().rule(),
                each.schedule().zone(),
                each.active() ? each.nextFireAt() : "",
                each.lastFiredAt(),
                state(each));
          }
          output.show(
              table.text(),
              Map.of("schedules", all.stream().map(SchedulesCommand::document).toList()));
          return ExitCode.FINE;
        });
  }

  private static String state(ScheduleInfo schedule) {
    if (!schedule.active()) {
      return "paused";
    }
    return schedule.failures() == 0
        ? "active"
        : "failed " + schedule.failures() + " times: " + schedule.lastError();
  }

  @Command(
      name = "next",
      description = "The next times of one, and what became of the latest.",
      mixinStandardHelpOptions = true)
  int next(
      @Mixin Operator operator,
      @Mixin Output output,
      @Parameters(paramLabel = "NAME", description = "From the list.") String name,
      @Option(
              names = "--count",
              paramLabel = "N",
              defaultValue = "5",
              description = "How many (${DEFAULT-VALUE}).")
          int count)
      throws Exception {
    return withSchedule(
        operator,
        output,
        name,
        (waybill, schedule) -> {
          List<Instant> next =
              waybill.jobs().schedules().preview(schedule.schedule(), Instant.now(), count);
          List<ScheduleFire> latest = waybill.jobs().schedules().fires(name, LATEST);
          Table table = new Table("time", "local", "what", "job");
          latest.forEach(
              fire ->
                  table.row(
                      fire.scheduledFor(),
                      fire.scheduledFor().atZone(schedule.schedule().zone()).toLocalDateTime(),
                      JobText.lower(fire.outcome()),
                      fire.job()));
          next.forEach(
              time ->
                  table.row(
                      time,
                      time.atZone(schedule.schedule().zone()).toLocalDateTime(),
                      schedule.active() ? "to come" : "paused",
                      ""));
          output.show(
              table.text(),
              Map.of(
                  "next", next, "fires", latest.stream().map(SchedulesCommand::document).toList()));
          return ExitCode.FINE;
        });
  }

  @Command(name = "pause", description = "Pause one.", mixinStandardHelpOptions = true)
  int pause(
      @Mixin Operator operator,
      @Mixin Output output,
      @Parameters(paramLabel = "NAME", description = "From the list.") String name)
      throws Exception {
    return setActive(operator, output, name, false);
  }

  @Command(
      name = "resume",
      description = "Let one go on; what fell due meanwhile is not made up for.",
      mixinStandardHelpOptions = true)
  int resume(
      @Mixin Operator operator,
      @Mixin Output output,
      @Parameters(paramLabel = "NAME", description = "From the list.") String name)
      throws Exception {
    return setActive(operator, output, name, true);
  }

  private static int setActive(Operator operator, Output output, String name, boolean active)
      throws Exception {
    return withSchedule(
        operator,
        output,
        name,
        (waybill, schedule) -> {
          waybill.jobs().schedules().setActive(name, active);
          output.show(
              (active ? "Resumed " : "Paused ") + name + ".",
              Map.of("name", name, "active", active));
          return ExitCode.FINE;
        });
  }

  @Command(
      name = "trigger",
      description = "Enqueue its job now, besides its times.",
      mixinStandardHelpOptions = true)
  int trigger(
      @Mixin Operator operator,
      @Mixin Output output,
      @Parameters(paramLabel = "NAME", description = "From the list.") String name)
      throws Exception {
    return withSchedule(
        operator,
        output,
        name,
        (waybill, schedule) -> {
          Enqueued job = waybill.jobs().schedules().trigger(name);
          output.show("Enqueued " + job.id() + ".", Map.of("name", name, "job", job.id()));
          return ExitCode.FINE;
        });
  }

  private static Map<String, Object> document(ScheduleInfo schedule) {
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("name", schedule.schedule().name());
    document.put("type", schedule.schedule().type());
    document.put("rule", schedule.schedule().rule());
    document.put("zone", schedule.schedule().zone());
    document.put("active", schedule.active());
    document.put("next_fire_at", schedule.nextFireAt());
    document.put("scheduled_for", schedule.scheduledFor());
    JobText.put(document, "last_fired_at", schedule.lastFiredAt());
    JobText.put(document, "last_job", schedule.lastJob());
    document.put("failures", schedule.failures());
    JobText.put(document, "last_error", schedule.lastError());
    return document;
  }

  private static Map<String, Object> document(ScheduleFire fire) {
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("scheduled_for", fire.scheduledFor());
    document.put("fired_at", fire.firedAt());
    document.put("outcome", JobText.lower(fire.outcome()));
    JobText.put(document, "job", fire.job());
    return document;
  }

  private interface ScheduleTask {
    int run(Waybill waybill, ScheduleInfo schedule) throws Exception;
  }

  private static int withSchedule(Operator operator, Output output, String name, ScheduleTask task)
      throws Exception {
    return operator.withWaybill(
        waybill -> {
          Optional<ScheduleInfo> schedule = waybill.jobs().schedules().find(name);
          return schedule.isEmpty()
              ? output.complain("there is no schedule '" + name + "'.")
              : task.run(waybill, schedule.get());
        });
  }
}
