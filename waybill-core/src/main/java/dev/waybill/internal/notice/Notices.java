package dev.waybill.internal.notice;

import dev.waybill.internal.loop.Crew;
import dev.waybill.internal.loop.LoopOptions;
import dev.waybill.internal.loop.Time;
import dev.waybill.internal.sql.Database;
import dev.waybill.internal.store.NoticeStore;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/**
 * The notices of one process: what it tells the others, and whom it tells of what they say. Silent
 * where the database passes nothing on. Notices save time and nothing else: one that is lost is
 * found by a look at the tables.
 *
 * <p>Safe for use by many threads.
 */
public final class Notices {
  private final Optional<NoticeStore> store;
  private final String sender;
  private final Time time;
  private final Optional<Announcer> announcer;
  private final Company company;
  private final Map<String, Consumer<List<String>>> heard = new ConcurrentHashMap<>();
  private final List<Consumer<Boolean>> hearing = new CopyOnWriteArrayList<>();
  private volatile boolean listening;

  private Notices(Optional<NoticeStore> store, String sender, Time time) {
    this.store = store;
    this.sender = sender;
    this.time = time;
    this.announcer = store.map(each -> new Announcer(each, sender));
    this.company = new Company(time);
  }

  /** The notices of a process by that name. */
  public static Notices of(Database database, String sender, Time time) {
    return new Notices(NoticeStore.of(database), sender, time);
  }

  /** Of a process that is alone. */
  public static Notices none() {
    return new Notices(Optional.empty(), "", Time.system());
  }

  /**
   * Wants to know what others say about a topic; before {@link #addTo}.
   *
   * @param words are as they were announced
   * @param canHear is told whether there is anything to hear from now on, and again whenever
   *     something may have gone unsaid: a good time to look
   */
  public void subscribe(String topic, Consumer<List<String>> words, Consumer<Boolean> canHear) {
    heard.put(topic, words);
    hearing.add(canHear);
  }

  /** Tells whoever listens; nobody, if this process knows that it is alone. */
  public void announce(String topic, Collection<String> words) {
    if (isAlone()) {
      return;
    }
    announcer.ifPresent(worker -> worker.announce(topic, words));
  }

  /** Who does not listen cannot know. */
  boolean isAlone() {
    return listening && company.isEmpty();
  }

  /** Adds the workers; nobody listens unless somebody wants to know. */
  public void addTo(Crew crew) {
    announcer.ifPresent(worker -> crew.add(worker, worker.options()));
    if (!heard.isEmpty()) {
      store.ifPresent(
          each ->
              crew.add(
                  new Listener(each, sender, time, crew.stopSignal(), this::hear, this::hearing),
                  LoopOptions.defaults()));
    }
  }

  private void hearing(boolean begins) {
    listening = begins;
    hearing.forEach(each -> each.accept(begins));
  }

  private void hear(Announcement announcement) {
    switch (announcement.topic()) {
      case Listener.HERE -> meet(announcement.sender());
      case Listener.WELCOME -> {
        meet(announcement.sender());
        // It may have left something unsaid as long as it thought that it was alone.
        hearing.forEach(each -> each.accept(true));
      }
      case Listener.BYE -> company.left(announcement.sender());
      default -> {
        Consumer<List<String>> interested = heard.get(announcement.topic());
        if (interested != null) {
          interested.accept(announcement.words());
        }
      }
    }
  }

  private void meet(String sender) {
    if (company.listens(sender)) {
      announcer.ifPresent(worker -> worker.announce(Listener.WELCOME, List.of()));
    }
  }
}
