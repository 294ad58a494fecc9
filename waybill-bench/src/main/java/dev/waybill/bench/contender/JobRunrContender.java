package dev.waybill.bench.contender;

import dev.waybill.bench.load.Business;
import dev.waybill.bench.load.Parcel;
import dev.waybill.bench.load.Receiver;
import java.time.Duration;
import java.util.List;
import org.jobrunr.configuration.JobRunr;
import org.jobrunr.scheduling.JobScheduler;
import org.jobrunr.server.BackgroundJobServerConfiguration;
import org.jobrunr.storage.StorageProvider;
import org.jobrunr.storage.sql.common.SqlStorageProviderFactory;
import org.jspecify.annotations.Nullable;

/**
 * JobRunr, open-source edition: one job per message. Polls every five seconds, the shortest it
 * allows; a hundred workers, since each poll fetches about as many jobs as there are workers. It
 * commits by itself, so a message is sent after the business transaction, not in it.
 */
final class JobRunrContender implements Contender {
  private static final int WORKERS = 100;

  private @Nullable Transactions transactions;
  private @Nullable StorageProvider storage;
  private @Nullable JobScheduler scheduler;

  @Override
  public void prepare(Stage on) {
    SqlStorageProviderFactory.using(on.pool()).close();
  }

  @Override
  public void open(Stage on) {
    transactions = new Transactions(on.pool());
    storage = SqlStorageProviderFactory.using(on.pool());
    scheduler = new JobScheduler(Given.here(storage));
    JobRunr.configure().useStorageProvider(Given.here(storage)).initialize();
  }

  @Override
  public void start(Receiver receiver) {
    JobReceiver.to(receiver);
    scheduler =
        JobRunr.configure()
            .useStorageProvider(Given.here(storage))
            .useBackgroundJobServer(
                BackgroundJobServerConfiguration.usingStandardBackgroundJobServerConfiguration()
                    .andPollInterval(Duration.ofSeconds(5))
                    .andWorkerCount(WORKERS)
                    .andInterruptJobsAwaitDurationOnStopBackgroundJobServer(Duration.ofSeconds(1)))
            .initialize()
            .getJobScheduler();
  }

  @Override
  public void send(Business business, List<Parcel> parcels) throws Exception {
    if (business != Business.NONE) {
      Given.here(transactions).run(business::doIn);
    }
    Given.here(scheduler)
        .enqueue(parcels.stream().map(Parcel::text), text -> JobReceiver.receive(text));
  }

  @Override
  public void stop() {
    JobRunr.destroy();
  }
}
