package dev.waybill;

import static com.tngtech.archunit.base.DescribedPredicate.alwaysTrue;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.equivalentTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackages;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.JavaPackage;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import dev.waybill.internal.sql.Dialect;
import dev.waybill.schema.Schema;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Clock;
import java.time.temporal.TemporalAccessor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.Timer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which part may know which. Rules about packages that do not exist yet wait for them. */
class ArchitectureTest {
  private static final String INTERNAL = "dev.waybill.internal..";
  private static final String LOOP = "dev.waybill.internal.loop";
  private static final String SQL = "dev.waybill.internal.sql";

  private static final JavaClasses CORE = new ClassFileImporter().importPath(location());

  private static Path location() {
    try {
      return Path.of(
          WaybillException.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }

  // Who may know whom.

  @Test
  void thePublicPackagesKnowNothingInternal() {
    noClasses()
        .that()
        .resideInAnyPackage(
            "dev.waybill.outbox..",
            "dev.waybill.job..",
            "dev.waybill.workflow..",
            "dev.waybill.spi..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage(INTERNAL)
        .allowEmptyShould(true)
        .check(CORE);
  }

  @Test
  void onlyTheDoorsLeadInside() {
    noClasses()
        .that()
        .resideInAnyPackage("dev.waybill", "dev.waybill.schema..")
        .and()
        .doNotHaveFullyQualifiedName(Schema.class.getName())
        .and(DescribedPredicate.not(isOrIsInside("dev.waybill.Waybill")))
        .and()
        .doNotHaveFullyQualifiedName(Doctor.class.getName())
        .should()
        .dependOnClassesThat()
        .resideInAPackage(INTERNAL)
        .check(CORE);
    noClasses()
        .that()
        .haveFullyQualifiedName(Schema.class.getName())
        .should()
        .dependOnClassesThat(
            resideInAPackage(INTERNAL).and(resideOutsideOfPackages("dev.waybill.internal.schema")))
        .check(CORE);
    noClasses()
        .that()
        .haveFullyQualifiedName(Doctor.class.getName())
        .should()
        .dependOnClassesThat(
            resideInAPackage(INTERNAL).and(resideOutsideOfPackages("dev.waybill.internal.doctor")))
        .check(CORE);
    noClasses()
        .that(isOrIsInside("dev.waybill.Waybill"))
        .should()
        .dependOnClassesThat(
            resideInAPackage(INTERNAL)
                .and(DescribedPredicate.not(isOrIsInside("dev.waybill.internal.Pipeline"))))
        .allowEmptyShould(true)
        .check(CORE);
  }

  private static DescribedPredicate<JavaClass> isOrIsInside(String name) {
    return DescribedPredicate.describe(
        "is or is inside " + name,
        type -> type.getName().equals(name) || type.getName().startsWith(name + "$"));
  }

  /** What each internal package may know of Waybill, besides itself. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          loop     |
          sql      | . spi
          store    | . spi schema outbox job workflow internal.sql internal.loop
          schema   | . spi schema internal.store internal.sql internal.loop
          doctor   | . schema internal.schema internal.store internal.sql internal.loop
          notice   | internal.store internal.sql internal.loop
          outbox   | . spi outbox internal.notice internal.store internal.sql internal.loop
          job      | . spi job internal.notice internal.store internal.sql internal.loop
          workflow | . spi workflow job internal.job internal.store internal.sql internal.loop
          """)
  void theInternalPackagesKnowOnlyWhatIsBelowThem(String own, String known) {
    String home = "dev.waybill.internal." + own;
    List<String> allowed = new ArrayList<>(List.of(home + ".."));
    for (String each : known == null ? new String[0] : known.split(" ")) {
      allowed.add(each.equals(".") ? "dev.waybill" : "dev.waybill." + each);
    }
    noClasses()
        .that()
        .resideInAPackage(home + "..")
        .should()
        .dependOnClassesThat(
            resideInAPackage("dev.waybill..")
                .and(resideOutsideOfPackages(allowed.toArray(String[]::new))))
        .allowEmptyShould(true)
        .check(CORE);
  }

  @Test
  void noPackagesDependOnEachOtherInACircle() {
    slices()
        .matching("dev.waybill.(**)")
        .should()
        .beFreeOfCycles()
        // The doors: whoever opens one finds behind it what speaks the public package's language.
        .ignoreDependency(equivalentTo(Schema.class), resideInAPackage(INTERNAL))
        .ignoreDependency(isOrIsInside("dev.waybill.Waybill"), alwaysTrue())
        .ignoreDependency(equivalentTo(Doctor.class), alwaysTrue())
        .check(CORE);
  }

  @Test
  void onlyJdkAndSlf4jAreUnderneath() {
    classes()
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage(
            "dev.waybill..", "java..", "javax.sql..", "org.slf4j..", "org.jspecify..")
        .check(CORE);
  }

  // Who may touch what.

  @Test
  void onlyTheLoopTouchesThreadsAndClocks() {
    noClasses()
        .that()
        .resideOutsideOfPackage(LOOP)
        .should()
        .accessTargetWhere(isAboutThreadsOrClocks())
        .check(CORE);
    noClasses()
        .that()
        .resideOutsideOfPackage(LOOP)
        .should()
        .dependOnClassesThat(
            assignableTo(Executor.class)
                .or(equivalentTo(Executors.class))
                .or(assignableTo(Future.class))
                .or(assignableTo(Timer.class))
                .or(assignableTo(Clock.class))
                .or(equivalentTo(LockSupport.class))
                .or(assignableTo(Condition.class))
                .or(assignableTo(CompletableFuture.class)))
        .check(CORE);
  }

  private static DescribedPredicate<JavaAccess<?>> isAboutThreadsOrClocks() {
    return DescribedPredicate.describe(
        "is about threads or clocks",
        access -> {
          JavaClass owner = access.getTargetOwner();
          String name = access.getTarget().getName();
          if (owner.isAssignableTo(Thread.class)) {
            return !Set.of("currentThread", "interrupt").contains(name);
          }
          return (owner.isEquivalentTo(System.class)
                  && Set.of("nanoTime", "currentTimeMillis").contains(name))
              || (owner.isAssignableTo(TemporalAccessor.class) && name.equals("now"))
              || (owner.isEquivalentTo(TimeUnit.class)
                  && Set.of("sleep", "timedJoin", "timedWait").contains(name))
              || (owner.isEquivalentTo(Object.class) && Set.of("wait", "notify").contains(name));
        });
  }

  @Test
  void onlyTheSqlPackageReadsErrorCodes() {
    noClasses()
        .that()
        .resideOutsideOfPackage(SQL)
        .should()
        .accessTargetWhere(
            DescribedPredicate.describe(
                "is an error code of a driver",
                access ->
                    access.getTargetOwner().isAssignableTo(SQLException.class)
                        && Set.of("getSQLState", "getErrorCode")
                            .contains(access.getTarget().getName())))
        .check(CORE);
  }

  @Test
  void onlyTheSqlPackagePreparesStatements() {
    noClasses()
        .that()
        .resideOutsideOfPackage(SQL)
        .should()
        .dependOnClassesThat()
        .belongToAnyOf(
            java.sql.Statement.class,
            java.sql.PreparedStatement.class,
            java.sql.ResultSet.class,
            java.sql.DatabaseMetaData.class)
        .check(CORE);
  }

  @Test
  void dialectsAreAMatterOfSqlStoreSchemaAndDoctor() {
    noClasses()
        .that(
            DescribedPredicate.not(
                resideInAnyPackage(
                    SQL,
                    "dev.waybill.internal.store",
                    "dev.waybill.internal.schema",
                    "dev.waybill.internal.doctor")))
        .should()
        .dependOnClassesThat()
        .areAssignableTo(Dialect.class)
        .check(CORE);
  }

  @Test
  void nothingStaticChanges() {
    fields().that().areStatic().should().beFinal().check(CORE);
  }

  // What is seen from outside.

  @Test
  void theModuleExportsExactlyThePublicPackages() {
    ModuleDescriptor module = ModuleFinder.of(location()).findAll().iterator().next().descriptor();
    assertThat(module.exports()).noneMatch(ModuleDescriptor.Exports::isQualified);
    assertThat(module.exports())
        .extracting(ModuleDescriptor.Exports::source)
        .containsExactlyInAnyOrderElementsOf(
            packages()
                .map(JavaPackage::getName)
                .filter(name -> !name.startsWith("dev.waybill.internal"))
                .toList());
    assertThat(module.opens()).isEmpty();
  }

  @Test
  void everyPackageIsNullMarked() {
    assertThat(packages())
        .allMatch(each -> each.isAnnotatedWith(NullMarked.class), "is marked in its package-info");
  }

  private static Stream<JavaPackage> packages() {
    return CORE.stream()
        .filter(type -> type.getPackageName().startsWith("dev.waybill"))
        .map(JavaClass::getPackage)
        .distinct();
  }

  @Test
  void namesSayWhatATypeDoes() {
    Set<String> hollow =
        Set.of("Manager", "Helper", "Util", "Utils", "Impl", "Base", "Service", "Common");
    assertThat(types())
        .noneMatch(
            type ->
                Arrays.stream(type.getSimpleName().split("(?=[A-Z])")).anyMatch(hollow::contains));
  }

  /** Behind the doors; what is in front of them is there to be used. */
  @Test
  void mostTypesArePackagePrivate() {
    List<JavaClass> internal =
        types()
            .filter(JavaClass::isTopLevelClass)
            .filter(type -> type.getPackageName().startsWith("dev.waybill.internal"))
            .toList();
    long hidden =
        internal.stream()
            .filter(type -> !type.getModifiers().contains(JavaModifier.PUBLIC))
            .count();
    assertThat((double) hidden / internal.size()).isGreaterThan(0.5);
  }

  private static Stream<JavaClass> types() {
    return CORE.stream()
        .filter(type -> !type.getSimpleName().equals("package-info"))
        .filter(type -> !type.getSimpleName().equals("module-info"))
        .filter(type -> !type.isAnonymousClass());
  }
}
