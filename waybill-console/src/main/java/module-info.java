/** Waybill's web console. */
module dev.waybill.console {
  requires transitive dev.waybill;
  requires com.fasterxml.jackson.core;
  requires transitive jdk.httpserver;
  requires org.slf4j;
  requires static transitive org.jspecify;

  exports dev.waybill.console;
}
