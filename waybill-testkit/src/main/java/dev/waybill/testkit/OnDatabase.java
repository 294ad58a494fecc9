package dev.waybill.testkit;

import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.extension.AfterClassTemplateInvocationCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeClassTemplateInvocationCallback;
import org.junit.jupiter.api.extension.ClassTemplateInvocationContext;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.Extension;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.platform.commons.support.AnnotationSupport;

/** One run of a test class, on one database, which lives as long as the run. */
final class OnDatabase
    implements ClassTemplateInvocationContext,
        ExecutionCondition,
        BeforeClassTemplateInvocationCallback,
        AfterClassTemplateInvocationCallback,
        AfterEachCallback,
        ParameterResolver {

  private final Edition edition;
  private final @Nullable Turn turn;
  private @Nullable TestDatabase database;

  /**
   * A run that has not begun.
   *
   * @param turn which cases run here; null for all of them
   */
  OnDatabase(Edition edition, @Nullable Turn turn) {
    this.edition = edition;
    this.turn = turn;
  }

  @Override
  public String getDisplayName(int invocationIndex) {
    return edition.label();
  }

  @Override
  public List<Extension> getAdditionalExtensions() {
    return List.of(this);
  }

  @Override
  public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
    return exception(context)
        .or(() -> elsewhere(context))
        .map(ConditionEvaluationResult::disabled)
        .orElseGet(() -> ConditionEvaluationResult.enabled("runs on " + edition.label()));
  }

  /** JUnit asks no conditions about a run of the whole class, hence the abort. */
  @Override
  public void beforeClassTemplateInvocation(ExtensionContext context) {
    exception(context).ifPresent(Assumptions::abort);
    if (turn == null) {
      database = edition.host().create();
    }
  }

  private Optional<String> elsewhere(ExtensionContext context) {
    if (turn == null || context.getTestMethod().isEmpty()) {
      return Optional.empty();
    }
    Edition chosen = turn.of(context.getRequiredTestClass(), context.getRequiredTestMethod());
    return chosen == edition ? Optional.empty() : Optional.of(Turn.elsewhere(chosen));
  }

  private Optional<String> exception(ExtensionContext context) {
    return AnnotationSupport.findAnnotation(context.getElement(), NotOn.class)
        .filter(edition::isExceptedBy)
        .map(notOn -> "not on " + edition.label() + ": " + reason(notOn, context));
  }

  private static String reason(NotOn notOn, ExtensionContext context) {
    if (notOn.why().isBlank()) {
      throw new IllegalArgumentException("@NotOn without a reason: " + context.getUniqueId());
    }
    return notOn.why();
  }

  @Override
  public void afterEach(ExtensionContext context) {
    if (database != null) {
      database.endOfTest();
    }
  }

  @Override
  public void afterClassTemplateInvocation(ExtensionContext context) {
    if (database != null) {
      database.close();
    }
  }

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    return parameter.getParameter().getType() == TestDatabase.class;
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    if (database == null) {
      database = edition.host().create(); // in turn, perhaps no case runs here
    }
    return database;
  }
}
