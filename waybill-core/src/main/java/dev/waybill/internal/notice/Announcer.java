package dev.waybill.internal.notice;

import dev.waybill.internal.loop.Bell;
import dev.waybill.internal.loop.LoopOptions;
import dev.waybill.internal.loop.Next;
import dev.waybill.internal.loop.Worker;
import dev.waybill.internal.store.NoticeStore;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Tells other processes of work that this one leaves to them. What is to be said gathers for a
 * moment: a database delivers one notice of a hundred partitions gladly, a hundred of one each at
 * the cost of its commits.
 *
 * <p>Safe for use by many threads.
 */
final class Announcer implements Worker {
  private static final Duration APART = Duration.ofMillis(5);

  private final NoticeStore store;
  private final String sender;
  private final Bell bell = new Bell();
  private final ReentrantLock lock = new ReentrantLock();
  private final Map<String, Set<String>> waiting = new TreeMap<>();

  Announcer(NoticeStore store, String sender) {
    this.store = store;
    this.sender = sender;
  }

  LoopOptions options() {
    return LoopOptions.defaults().withBells(bell);
  }

  @Override
  public String name() {
    return "announcer";
  }

  /** Others are to know this. */
  void announce(String topic, Collection<String> words) {
    lock.lock();
    try {
      waiting.computeIfAbsent(topic, any -> new TreeSet<>()).addAll(words);
    } finally {
      lock.unlock();
    }
    bell.ring();
  }

  @Override
  public Next runOnce() {
    Map<String, Set<String>> taken = take();
    if (taken.isEmpty()) {
      return Next.whenRung();
    }
    boolean sent = false;
    try {
      taken.forEach(
          (topic, words) -> {
            for (Announcement each : Announcement.of(sender, topic, words)) {
              store.say(each.text());
            }
          });
      sent = true;
    } finally {
      if (!sent) {
        taken.forEach(this::announce);
      }
    }
    return Next.after(APART);
  }

  private Map<String, Set<String>> take() {
    lock.lock();
    try {
      Map<String, Set<String>> taken = new TreeMap<>(waiting);
      waiting.clear();
      return taken;
    } finally {
      lock.unlock();
    }
  }
}
