package dev.waybill.testkit;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ClassTemplateInvocationContext;
import org.junit.jupiter.api.extension.ClassTemplateInvocationContextProvider;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.platform.commons.support.AnnotationSupport;

/** Gives an {@link EveryDatabase} class one invocation per database. */
final class DatabaseInvocations implements ClassTemplateInvocationContextProvider {

  @Override
  public boolean supportsClassTemplate(ExtensionContext context) {
    return true;
  }

  @Override
  public Stream<? extends ClassTemplateInvocationContext> provideClassTemplateInvocationContexts(
      ExtensionContext context) {
    boolean alsoOldest =
        AnnotationSupport.findAnnotation(context.getRequiredTestClass(), EveryDatabase.class)
            .map(EveryDatabase::alsoOldest)
            .orElse(false);
    LeftOut leftOut = LeftOut.fromSystemProperty();
    List<Edition> editions =
        Stream.of(Edition.values())
            .filter(edition -> alsoOldest || edition != Edition.OLDEST_POSTGRESQL)
            .filter(edition -> !leftOut.contains(edition))
            .toList();
    Turn turn = Turn.isAsked() ? new Turn(editions) : null;
    return editions.stream().map(edition -> new OnDatabase(edition, turn));
  }

  @Override
  public boolean mayReturnZeroClassTemplateInvocationContexts(ExtensionContext context) {
    return !LeftOut.fromSystemProperty().isEmpty();
  }
}
