drop table if exists waybill_workflow_change;
drop table if exists waybill_workflow_attribute;
drop table if exists waybill_workflow_edge;
drop table if exists waybill_workflow_step;
drop table if exists waybill_workflow;
alter table waybill_job drop column workflow_id;
