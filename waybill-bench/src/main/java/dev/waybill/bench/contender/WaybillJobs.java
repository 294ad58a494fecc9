package dev.waybill.bench.contender;

import dev.waybill.Waybill;
import dev.waybill.bench.load.Business;
import dev.waybill.bench.load.Parcel;
import dev.waybill.bench.load.Receiver;
import dev.waybill.job.JobDefinition;
import dev.waybill.job.JobHandler;
import dev.waybill.job.JobRequest;
import dev.waybill.job.JobResult;
import dev.waybill.job.Jobs;
import dev.waybill.job.JobsBuilder;
import dev.waybill.schema.Schema;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Waybill's jobs: one job per message, in the producer's transaction. Two hundred handlers at a
 * time and as many jobs per transaction, as docs/tuning.md advises for many short jobs, and the
 * defaults otherwise.
 */
final class WaybillJobs implements Contender {
  private static final JobDefinition PARCEL = JobDefinition.of("parcel");
  private static final int HANDLERS = 200;

  private @Nullable Stage stage;
  private @Nullable Waybill running;

  @Override
  public void prepare(Stage on) {
    Schema.migrate(on.pool());
  }

  @Override
  public void open(Stage on) {
    stage = on;
    running = run(on, jobs -> jobs.define(PARCEL).withoutWorkers());
  }

  @Override
  public void start(Receiver receiver) {
    JobHandler handler =
        job -> {
          receiver.receive(job.payload().substring(1));
          return JobResult.success();
        };
    Given.here(running).close();
    running =
        run(
            Given.here(stage),
            jobs ->
                jobs.define(PARCEL, handler)
                    .options(options -> options.withConcurrency(HANDLERS).withBatch(HANDLERS)));
  }

  private static Waybill run(Stage on, Consumer<JobsBuilder> setup) {
    return Waybill.builder(on.pool()).outbox(outbox -> outbox.withoutWorkers()).jobs(setup).start();
  }

  @Override
  public void send(Business business, List<Parcel> parcels) throws Exception {
    Waybill waybill = Given.here(running);
    Jobs jobs = waybill.jobs();
    waybill
        .outbox()
        .inTransaction(
            connection -> {
              business.doIn(connection);
              jobs.enqueueAll(connection, parcels.stream().map(WaybillJobs::request).toList());
            });
  }

  /** A text of letters and digits becomes JSON by quotes alone. */
  private static JobRequest request(Parcel parcel) {
    return JobRequest.of("parcel").payload("\"" + parcel.text() + "\"").build();
  }

  @Override
  public void stop() {
    Given.here(running).close();
  }
}
