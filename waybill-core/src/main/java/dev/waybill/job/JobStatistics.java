package dev.waybill.job;

/**
 * What this process has done about jobs since it started. Counted as it happens: no table is read.
 *
 * @param enqueued jobs that became part of a transaction, committed or not
 * @param claimed leases
 * @param succeeded attempts that ended well
 * @param continued attempts that asked for another run
 * @param retried attempts that failed, of jobs that are tried again
 * @param deadLettered jobs that were given up
 * @param timedOut attempts that took too long, whatever became of their jobs
 * @param panicked attempts whose handler let an exception out, likewise
 * @param reaped attempts whose process gave no sign of life, likewise
 * @param released jobs that were given back and cost no attempt
 * @param leasesLost attempts whose end was refused, because another has the job now
 * @param canceled jobs that were canceled from here
 * @param fired times of schedules that became jobs
 */
public record JobStatistics(
    long enqueued,
    long claimed,
    long succeeded,
    long continued,
    long retried,
    long deadLettered,
    long timedOut,
    long panicked,
    long reaped,
    long released,
    long leasesLost,
    long canceled,
    long fired) {}
