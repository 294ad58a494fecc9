package dev.waybill.testkit;

import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.util.List;
import org.junit.platform.commons.support.AnnotationSupport;

/**
 * Which of the databases has its turn when each case runs on one of them only, as the core's tests
 * do on a second JVM: every case is met there, and so is every database.
 */
final class Turn {

  static final String PROPERTY = "waybill.test.in.turn";

  private static final String ELSEWHERE = "its turn is on ";

  private final List<Edition> editions;

  Turn(List<Edition> editions) {
    this.editions = editions;
  }

  static boolean isAsked() {
    return Boolean.getBoolean(PROPERTY);
  }

  /** Whether a case was skipped for no other reason than that it runs on another database. */
  static boolean isElsewhere(String reason) {
    return reason.startsWith(ELSEWHERE);
  }

  static String elsewhere(Edition edition) {
    return ELSEWHERE + edition.label();
  }

  /** Always the same for the same case, among the databases to which it applies. */
  Edition of(Class<?> type, Method method) {
    List<Edition> apply =
        editions.stream()
            .filter(edition -> !isExcepted(edition, type) && !isExcepted(edition, method))
            .toList();
    if (apply.isEmpty()) {
      return editions.get(0); // which says why it does not apply
    }
    String name = type.getName() + "." + method.getName();
    return apply.get(Math.floorMod(name.hashCode(), apply.size()));
  }

  private static boolean isExcepted(Edition edition, AnnotatedElement place) {
    return AnnotationSupport.findAnnotation(place, NotOn.class)
        .filter(edition::isExceptedBy)
        .isPresent();
  }
}
