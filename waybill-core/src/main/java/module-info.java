/** Waybill: ordered outbox, durable jobs and workflows inside the database you already have. */
module dev.waybill {
  requires transitive java.sql;
  requires org.slf4j;
  requires static transitive org.jspecify;

  exports dev.waybill;
  exports dev.waybill.job;
  exports dev.waybill.outbox;
  exports dev.waybill.schema;
  exports dev.waybill.spi;
  exports dev.waybill.workflow;
}
