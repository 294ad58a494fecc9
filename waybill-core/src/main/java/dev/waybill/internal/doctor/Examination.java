package dev.waybill.internal.doctor;

import dev.waybill.Finding;
import dev.waybill.UnsupportedDatabaseException;
import dev.waybill.internal.doctor.Findings.Topic;
import dev.waybill.internal.loop.Time;
import dev.waybill.schema.SchemaOptions;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;

/** The table of contents: everything that is looked at, in the order in which it is reported. */
public final class Examination {
  private static final String SELECT = "Grant this user SELECT on Waybill's tables.";

  private Examination() {}

  /** Examines with the thresholds for everybody. */
  public static List<Finding> of(DataSource dataSource, SchemaOptions options) {
    return of(dataSource, options, Thresholds.standard(), Time.system());
  }

  /** Examines with other thresholds or another clock. */
  public static List<Finding> of(
      DataSource dataSource, SchemaOptions options, Thresholds thresholds, Time time) {
    Findings findings = new Findings();
    try (Patient patient = Patient.admit(dataSource, options, thresholds, time)) {
      topics(patient).forEach(topic -> findings.examine(topic, patient));
    } catch (UnsupportedDatabaseException e) {
      findings.problem(
          "unsupported-database",
          String.valueOf(e.getMessage()),
          "Use a database that Waybill runs on.");
    }
    return findings.list();
  }

  private static List<Topic> topics(Patient patient) {
    List<Topic> topics = new ArrayList<>();
    topics.add(new Topic("the schema", "", SchemaTopic::examine));
    topics.add(new Topic("tables and indexes", "", TablesTopic::examine));
    topics.add(new Topic("the clocks", "", ClockTopic::examine));
    switch (patient.dialect()) {
      case POSTGRES -> addPostgres(topics);
      case MYSQL, MARIADB -> addMySql(topics);
      case SQLITE -> topics.add(new Topic("the file", "", SqliteTopic::examine));
    }
    topics.add(new Topic("the head of the lines", SELECT, HeadsTopic::examine));
    return topics;
  }

  private static void addPostgres(List<Topic> topics) {
    topics.add(new Topic("privileges", "", PostgresPrivileges::examine));
    topics.add(new Topic("the server's settings", "", PostgresSettings::examine));
    topics.add(new Topic("sequences", "", PostgresSequences::examine));
    topics.add(
        new Topic(
            "old transactions", "Grant this user pg_read_all_stats.", PostgresHorizon::examine));
    topics.add(new Topic("connections", "", PostgresConnections::examine));
  }

  private static void addMySql(List<Topic> topics) {
    topics.add(new Topic("privileges", "", MySqlPrivileges::examine));
    topics.add(new Topic("the server's settings", "", MySqlSettings::examine));
    topics.add(new Topic("the storage engine", "", MySqlEngines::examine));
    topics.add(
        new Topic(
            "old transactions",
            "GRANT PROCESS ON *.* to this user: it allows looking at what runs.",
            MySqlTransactions::examine));
  }
}
