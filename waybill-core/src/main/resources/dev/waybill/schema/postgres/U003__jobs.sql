drop table if exists waybill_job_fire;
drop table if exists waybill_job_schedule;
drop table if exists waybill_job_log;
drop table if exists waybill_job_event;
drop table if exists waybill_job_attempt;
drop table if exists waybill_job_freight;
drop table if exists waybill_job;
drop table if exists waybill_job_definition;
