package dev.waybill.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.core.LauncherFactory;
import org.opentest4j.TestAbortedException;

@EveryDatabase
@NotOn(value = DatabaseProduct.SQLITE, why = "it has no server")
class UsersServersTest {

  private final TestDatabase given;
  private final Edition edition;

  UsersServersTest(TestDatabase given) {
    this.given = given;
    this.edition = Edition.newest(given.product());
  }

  @Test
  void oneThatCanBeUsedIsUsed() throws IOException {
    assertThat(opening(url(given.user(), given.password()))).isEqualTo("opened");
  }

  @Test
  void aUserWhomTheServerRefusesIsSaidBeforeAnyTest() throws IOException {
    assertThat(opening(url("stranger", "open-sesame")))
        .startsWith(edition.urlVariable() + " is set, and tests cannot run there: as 'stranger' at")
        .contains("unset " + edition.urlVariable())
        .contains("./waybill test --without " + edition.id())
        .doesNotContain("open-sesame");
  }

  @Test
  void whatIsNoUrlIsSaidBeforeAnyTest() throws IOException {
    assertThat(opening("jdbc:db2://me:open-sesame@localhost/?password=open-sesame"))
        .startsWith(
            edition.urlVariable() + " is set, and tests cannot run there: Not a URL such as")
        .doesNotContain("open-sesame");
  }

  @Test
  @NotOn(value = DatabaseProduct.POSTGRESQL, why = "no other product speaks its protocol")
  void aServerOfTheOtherProductIsNotCountedAsThisOne() throws IOException {
    Edition other = edition == Edition.MYSQL ? Edition.MARIADB : Edition.MYSQL;
    String url =
        url(given.user(), given.password())
            .replaceFirst("jdbc:\\w+", "jdbc:" + ServerAddress.scheme(other.product()));

    assertThat(opening(other, url + "&allowPublicKeyRetrieval=true"))
        .contains(other.urlVariable() + " is set, and tests cannot run there")
        .contains("that is " + (edition == Edition.MYSQL ? "MySQL" : "MariaDB"));
  }

  @Test
  void whatItsUserMayNotDoLeavesTheTestOut() throws SQLException {
    boolean postgres = edition == Edition.POSTGRESQL;
    String maker = "maker_" + UUID.randomUUID().toString().substring(0, 8);
    // Ours has neither TLS nor keys, without which MySQL's default kind of password does not work.
    String password = given.isOnUsersServer() || postgres ? "Ma-ker_17" : "";
    given.administer(
        postgres
            ? "create role %s login createdb password '%s'".formatted(maker, password)
            : "create user %s identified by '%s'".formatted(maker, password));
    try {
      if (!postgres) {
        given.administer("grant all on `waybill\\_%`.* to " + maker);
      }
      try (TestDatabase database = TestDatabase.onServer(given.product(), url(maker, password))) {
        database.execute("create table parcel (id int)");
        assertThatThrownBy(
                () -> database.administer((postgres ? "create role x_" : "create user x_") + maker))
            .isInstanceOf(TestAbortedException.class)
            .hasMessageStartingWith("needs what '" + maker + "' may not do on");
        assertThatThrownBy(() -> database.administer("create nonsense"))
            .isInstanceOf(SQLException.class);
      }
    } finally {
      given.execute((postgres ? "drop role " : "drop user ") + maker);
    }
  }

  @Test
  void isNeverHurtInThePlaceOfOneThatCannotStart() throws IOException {
    Map<String, String> elsewhere =
        Map.of("os.arch", "abacus", "product", given.product().name(), LeftOut.PROPERTY, "");
    String url = url(given.user(), given.password());

    assertThat(outputOf(HurtsAServer.class, elsewhere, url))
        .startsWith("TestAbortedException: needs a server that it may hurt, which the one at")
        .contains(edition.urlVariable() + " is not")
        .contains(edition.version() + " cannot start: its program is for Linux amd64");
    assertThat(outputOf(HurtsAServer.class, elsewhere, ""))
        .startsWith("ServerFailure: " + edition.version() + " cannot start");
  }

  private String url(String user, String password) {
    String query = given.url().contains("?") ? "&" : "?";
    return "%s%suser=%s&password=%s"
        .formatted(given.url(), query, user, URLEncoder.encode(password, StandardCharsets.UTF_8));
  }

  private String opening(String url) throws IOException {
    return opening(edition, url);
  }

  /** What a test JVM says to a value of the variable, the only one that is set. */
  private static String opening(Edition edition, String url) throws IOException {
    return outputOf(OpensSession.class, Map.of(), edition, url);
  }

  private String outputOf(Class<?> main, Map<String, String> properties, String url)
      throws IOException {
    return outputOf(main, properties, edition, url);
  }

  private static String outputOf(
      Class<?> main, Map<String, String> properties, Edition edition, String url)
      throws IOException {
    Map<String, String> environment = new HashMap<>();
    for (Edition each : List.of(Edition.POSTGRESQL, Edition.MARIADB, Edition.MYSQL)) {
      environment.put(each.urlVariable(), each == edition ? url : "");
    }
    try (ForkedMain test = ForkedMain.start(main, properties, environment)) {
      return test.rest();
    }
  }

  static final class HurtsAServer {
    public static void main(String[] arguments) {
      try (TestServer server =
          TestServer.own(DatabaseProduct.valueOf(System.getProperty("product")))) {
        System.out.println("hurt " + server.pid());
      } catch (ServerFailure | TestAbortedException e) {
        System.out.println(e.getClass().getSimpleName() + ": " + e.getMessage());
      }
    }
  }

  static final class OpensSession {
    public static void main(String[] arguments) {
      try (LauncherSession session = LauncherFactory.openSession()) {
        System.out.println(session.getLauncher() == null ? "closed" : "opened");
      } catch (ServerFailure e) {
        System.out.println(e.getMessage());
      }
    }
  }
}
