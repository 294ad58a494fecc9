package dev.waybill.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.core.LauncherFactory;

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
    Map<String, String> environment = new HashMap<>();
    for (Edition each : List.of(Edition.POSTGRESQL, Edition.MARIADB, Edition.MYSQL)) {
      environment.put(each.urlVariable(), each == edition ? url : "");
    }
    try (ForkedMain test = ForkedMain.start(OpensSession.class, Map.of(), environment)) {
      return test.rest();
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
