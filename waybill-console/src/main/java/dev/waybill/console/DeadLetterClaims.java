package dev.waybill.console;

import dev.waybill.outbox.DeadLetterClaim;
import dev.waybill.outbox.DeadLetterFilter;
import dev.waybill.outbox.DeadLetters;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Dead letters that somebody replays by hand: takes them up for a while, deals with them, and says
 * how that went.
 */
final class DeadLetterClaims {
  private static final int MOST_AT_ONCE = 200;
  private static final long DEFAULT_MINUTES = 15;
  private static final long MOST_MINUTES = 24 * 60;

  private final DeadLetters deadLetters;
  private final DeadLetterPages pages;

  DeadLetterClaims(Sources sources, DeadLetterPages pages) {
    this.deadLetters = sources.outbox().deadLetters();
    this.pages = pages;
  }

  List<Route> routes() {
    List<String> claiming = new ArrayList<>(DeadLetterPages.FILTER);
    claiming.addAll(List.of("ids", "limit", "minutes"));
    List<String> settling = new ArrayList<>(DeadLetterPages.FILTER);
    settling.addAll(List.of("ids", "limit", "token"));
    return List.of(
        Route.post(
            "/dead-letters/replay",
            "Takes them up for so many minutes, in which nobody else gets them: all of 'ids', or"
                + " those that meet the filter, at most "
                + MOST_AT_ONCE
                + ". Answers with what they carry and a token for 'resolve' and 'reject'.",
            claiming,
            this::replay),
        Route.post(
            "/dead-letters/resolve",
            "Says that they were dealt with: 'ids' of the claim whose token this is; without a"
                + " token 'ids' or those that meet the filter.",
            settling,
            this::resolve),
        Route.post(
            "/dead-letters/reject",
            "Gives 'ids' of the claim whose token this is back, because they failed again.",
            List.of("token", "ids", "reason"),
            this::reject));
  }

  private Doc replay(Request request) {
    Object given = request.body().get("minutes");
    long minutes = given instanceof Long number ? number : DEFAULT_MINUTES;
    if (minutes < 1 || minutes > MOST_MINUTES) {
      throw Refusal.invalid("minutes must be from 1 to " + MOST_MINUTES + ".");
    }
    DeadLetterClaim claim =
        deadLetters.claim(
            DeadLetterPages.chosen(request, MOST_AT_ONCE), Duration.ofMinutes(minutes));
    int claimed = claim.deadLetters().size();
    Audit.done(request.who(), "replay dead letters", DeadLetterPages.subject(request), claimed);
    return Doc.of("changed", claimed)
        .put("token", claim.token())
        .put("deadline", claim.deadline())
        .put(
            "deadLetters",
            claim.deadLetters().stream().map(each -> pages.document(each, true)).toList());
  }

  private Doc resolve(Request request) {
    Optional<String> token = request.text("token");
    DeadLetterFilter chosen = DeadLetterPages.chosen(request, DeadLetterPages.MOST_AT_ONCE);
    int changed =
        token.isPresent() ? deadLetters.resolve(token.get(), ids(request)) : resolveFree(chosen);
    Audit.done(request.who(), "resolve dead letters", DeadLetterPages.subject(request), changed);
    return Doc.of("changed", changed)
        .put("more", chosen.ids() == null && changed == chosen.limit());
  }

  private int resolveFree(DeadLetterFilter chosen) {
    DeadLetterClaim claim = deadLetters.claim(chosen, Duration.ofMinutes(1));
    return claim.isEmpty() ? 0 : deadLetters.resolve(claim);
  }

  private Doc reject(Request request) {
    String token =
        request.text("token").orElseThrow(() -> Refusal.invalid("The claim's token is missing."));
    int changed = deadLetters.reject(token, ids(request), request.reason());
    Audit.done(request.who(), "give back dead letters", DeadLetterPages.subject(request), changed);
    return Doc.of("changed", changed);
  }

  private static List<Long> ids(Request request) {
    Object ids = request.body().get("ids");
    if (ids == null) {
      throw Refusal.invalid("Say which: ids.");
    }
    return DeadLetterPages.ids(ids);
  }
}
