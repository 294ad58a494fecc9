package dev.waybill.internal.notice;

import static org.assertj.core.api.Assertions.assertThat;

import dev.waybill.Migrated;
import dev.waybill.internal.loop.Crew;
import dev.waybill.internal.loop.Time;
import dev.waybill.internal.store.NoticeStore;
import dev.waybill.internal.store.Stores;
import dev.waybill.outbox.Service;
import dev.waybill.testkit.DatabaseProduct;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.Fault;
import dev.waybill.testkit.FaultyDataSource;
import dev.waybill.testkit.Hold;
import dev.waybill.testkit.NotOn;
import dev.waybill.testkit.TestDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Processes of one database, all in this JVM. */
@EveryDatabase
class NoticesTest {
  private final TestDatabase database;
  private final List<Member> running = new ArrayList<>();

  NoticesTest(TestDatabase database) {
    this.database = Migrated.on(database);
  }

  private final class Member {
    private final FaultyDataSource watched = new FaultyDataSource(database.dataSource());
    private final Crew crew = new Crew(Time.system());
    private final BlockingQueue<List<String>> heard = new LinkedBlockingQueue<>();
    private final BlockingQueue<Boolean> looks = new LinkedBlockingQueue<>();
    private final Notices notices;

    Member(String name) {
      this(name, watched -> {});
    }

    Member(String name, Consumer<FaultyDataSource> first) {
      first.accept(watched);
      notices = Notices.of(Stores.open(watched), name, Time.system());
      notices.subscribe("T", heard::add, looks::add);
      notices.addTo(crew);
      crew.start();
      running.add(this);
    }

    void awaitALook() throws InterruptedException {
      assertThat(looks.poll(30, TimeUnit.SECONDS)).isTrue();
    }

    List<String> awaitWords() throws InterruptedException {
      return heard.poll(30, TimeUnit.SECONDS);
    }

    void stop() {
      crew.stop(Duration.ofSeconds(10));
      running.remove(this);
    }

    long said() {
      return watched.trace().stream().filter(made -> made.sql().contains("pg_notify")).count();
    }
  }

  @AfterEach
  void stop() {
    List.copyOf(running).forEach(Member::stop);
  }

  @Test
  @NotOn(
      value = {DatabaseProduct.MYSQL, DatabaseProduct.MARIADB, DatabaseProduct.SQLITE},
      why = "they pass nothing on")
  void othersHearWhatIsSaidAndNobodyHearsHimself() throws InterruptedException {
    Member one = new Member("one");
    one.awaitALook();
    Member other = new Member("other");
    // It begins to hear, then it hears of the first; that one hears of it.
    other.awaitALook();
    other.awaitALook();
    one.awaitALook();
    one.notices.announce("T", List.of("4", "7"));
    assertThat(other.awaitWords()).containsExactly("4", "7");
    other.notices.announce("unknown", List.of("1"));
    other.notices.announce("T", List.of());
    assertThat(one.awaitWords()).isEmpty();
    assertThat(one.heard).isEmpty();
    assertThat(other.heard).isEmpty();
  }

  @Test
  @NotOn(
      value = {DatabaseProduct.MYSQL, DatabaseProduct.MARIADB, DatabaseProduct.SQLITE},
      why = "they pass nothing on")
  void whoIsAloneSaysNothing() throws Exception {
    Member one = new Member("one");
    one.awaitALook();
    long before = one.said();
    one.notices.announce("T", List.of("first"));
    Member other = new Member("other");
    one.awaitALook();
    one.notices.announce("T", List.of("second"));
    assertThat(other.awaitWords()).containsExactly("second");
    // That it is here, and the second.
    assertThat(one.said()).isBetween(before + 1, before + 2);

    other.stop();
    Service.await(one.notices::isAlone);
    long after = one.said();
    one.notices.announce("T", List.of("third"));
    assertThat(one.said()).isEqualTo(after);
  }

  @Test
  @NotOn(
      value = {DatabaseProduct.MYSQL, DatabaseProduct.MARIADB, DatabaseProduct.SQLITE},
      why = "they pass nothing on")
  void whoeverStopsBeforeItHearsAnythingTakesItsLeaveToo() throws Exception {
    Member one = new Member("one");
    one.awaitALook();
    for (int i = 0; i < 5; i++) {
      new Member("short " + i).stop();
    }
    Service.await(one.notices::isAlone);
  }

  @Test
  @NotOn(
      value = {DatabaseProduct.MYSQL, DatabaseProduct.MARIADB, DatabaseProduct.SQLITE},
      why = "they pass nothing on")
  void whoeverIsWelcomedLooksForWhatWentUnsaidAlsoIfItKnewTheOther() throws Exception {
    Member one = new Member("one");
    one.awaitALook();
    NoticeStore other = NoticeStore.of(Stores.open(database.dataSource())).orElseThrow();
    other.say("other/HERE/");
    Service.await(() -> !one.notices.isAlone());
    assertThat(one.looks).isEmpty();
    other.say("other/WELCOME/");
    one.awaitALook();
  }

  @Test
  @NotOn(
      value = {DatabaseProduct.MYSQL, DatabaseProduct.MARIADB, DatabaseProduct.SQLITE},
      why = "they pass nothing on")
  void anAnswerThatComesWithTheQuestionIsHeard() throws Exception {
    Member one = new Member("one");
    one.awaitALook();
    long before = one.said();
    List<Hold> holds = new ArrayList<>();
    Member other =
        new Member(
            "other",
            watched ->
                holds.add(
                    watched
                        .on(Fault.sql(sql -> sql.contains("pg_notify")))
                        .hold(Fault.Moment.AFTER)));
    holds.get(0).awaitReached(Duration.ofSeconds(30));
    // Both are there when it begins to listen to what it said itself.
    Service.await(() -> one.said() > before);
    holds.get(0).release();
    other.awaitALook();
    Service.await(() -> !other.notices.isAlone());
  }

  @Test
  @NotOn(value = DatabaseProduct.POSTGRESQL, why = "it passes notices on")
  void whereNothingIsPassedOnNobodySaysAnything() {
    Member one = new Member("one");
    one.notices.announce("T", List.of("4"));
    one.stop();
    assertThat(one.watched.trace()).noneMatch(made -> made.sql().contains("notify"));
    assertThat(one.looks).isEmpty();
  }
}
