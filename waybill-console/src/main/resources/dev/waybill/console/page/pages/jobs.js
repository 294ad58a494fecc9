import { seg } from '../lib/api.js';
import { h } from '../lib/dom.js';
import { capped, clock, clockTime, count, duration, pretty, short, shown, time, words } from '../lib/format.js';
import { badge, button, code, empty, facts, filters, none, panel, table } from '../lib/parts.js';

const STATUSES = ['SCHEDULED', 'PENDING', 'LEASED', 'SUCCEEDED', 'DEAD_LETTERED', 'CANCELED'];
const ENDED = ['SUCCEEDED', 'DEAD_LETTERED', 'CANCELED'];
const NAMES = { LEASED: 'running', PENDING: 'due', DEAD_LETTERED: 'failed for good' };
const name = (status) => NAMES[status] ?? words(status);
const look = { PENDING: 'warn' };

export const jobBadge = (status) => badge(status, name(status), look[status]);

/** The time by which the list of a status is in order. */
function when(status) {
  if (ENDED.includes(status)) return { head: 'Ended', class: 'num', cell: (job) => time(job.finishedAt) };
  if (status === 'SCHEDULED') return { head: 'Due', class: 'num', cell: (job) => time(job.dueAt) };
  return { head: 'Created', class: 'num', cell: (job) => time(job.createdAt) };
}

/** Why a job is not moving, or what it does. */
function why(job) {
  if (job.status === 'LEASED') return [job.progressTotal ? bar(job) : '', h('span', { class: 'muted' }, 'leased by ', h('span', { class: 'mono', title: job.worker }, short(job.worker ?? '')), ', lease ends ', time(job.leaseUntil))];
  if (job.status === 'SCHEDULED') return [job.errorMessage && `${job.errorMessage}; `, 'waits until ', time(job.dueAt)];
  if (job.status === 'PENDING') return ['waits for a worker, due ', time(job.dueAt)];
  return job.errorMessage ?? job.reason ?? '';
}

function bar(job) {
  const share = Math.min(1, (job.progressDone ?? 0) / job.progressTotal);
  return h('span', { class: 'progress', role: 'progressbar', 'aria-valuenow': Math.round(share * 100), 'aria-label': 'Progress' }, h('i', { style: { width: `${share * 100}%` } }), h('b', {}, `${count(job.progressDone ?? 0)} of ${count(job.progressTotal)}`));
}

export function jobs(context) {
  const { route, state, replace, get, go, act, ask, may, failed } = context;
  let answer = { jobs: [] };

  async function load() {
    try {
      answer = await get('jobs', { ...Object.fromEntries(route.query), limit: 50 });
      render();
    } catch (error) {
      failed(error);
    }
  }

  async function requeueAll() {
    const body = { status: route.query.get('status') };
    for (const field of ['type', 'errorCode', 'tenant']) if (route.query.get(field)) body[field] = route.query.get(field);
    const given = await ask({ title: 'Requeue all that match?', text: 'They run again with new attempts, from their checkpoints. Steps of workflows are left alone: retry their runs.', confirm: 'Requeue', fields: [{ name: 'reason', label: 'Reason, for the record' }] });
    if (!given) return;
    let total = 0;
    let next;
    let more;
    do {
      const done = await act('jobs/requeue', { ...body, ...given, ...(next ? { after: next } : {}) }, (each) => `Requeued ${count((total += each.changed))}.`);
      ({ next, more } = done ?? {});
    } while (more);
  }

  const setPaused = (type, paused) => act(`job-types/${seg(type)}/${paused ? 'pause' : 'resume'}`, {}, `${paused ? 'Paused' : 'Resumed'} ${type}.`);

  function render() {
    const types = state.sample?.jobTypes ?? [];
    const type = types.find((each) => each.type === route.query.get('type'));
    const requeueable = ['DEAD_LETTERED', 'CANCELED'].includes(route.query.get('status'));
    replace(
      h(
        'div',
        { class: 'page' },
        h('h1', {}, 'Jobs'),
        filters(
          route,
          [
            { name: 'type', label: 'Type', options: types.map((each) => each.type), raw: true },
            { name: 'status', label: 'Status', options: STATUSES },
            { name: 'errorCode', label: 'Error code', placeholder: 'payment.declined' },
            { name: 'tenant', label: 'Tenant' },
          ],
          go,
        ),
        type &&
          panel(
            type.type,
            { tools: may ? [type.paused ? button('Resume type', () => setPaused(type.type, false)) : button('Pause type', () => setPaused(type.type, true))] : [] },
            facts([
              ['State', type.paused ? badge('paused') : type.enabled ? badge('active') : badge('disabled')],
              ['Due', capped(type.counts.PENDING)],
              ['Running', `${capped(type.counts.LEASED)}${type.maxRunning ? ` of at most ${type.maxRunning}` : ''}`],
              ['Scheduled', capped(type.counts.SCHEDULED)],
              ['Failed for good', capped(type.counts.DEAD_LETTERED)],
              ['Attempts', type.maxAttempts],
              ['Timeout', duration(type.timeout)],
              ['Rate', type.rate],
            ]),
          ),
        panel(
          null,
          { class: 'listing' },
          may && requeueable && answer.jobs.length > 0 && h('div', { class: 'bar' }, h('span', { class: 'muted' }, 'all that match'), button('Requeue', requeueAll, { class: 'primary' })),
          answer.jobs.length === 0
            ? none('jobs', answer, route.query.toString() !== '', 'A job appears when a service enqueues one: jobs.enqueue(connection, JobRequest.of("invoice")…).')
            : table(
                [
                  { head: 'Job', cell: (job) => h('a', { class: 'row mono', href: `#/jobs/${job.id}` }, short(job.id)) },
                  { head: 'Type', cell: (job) => job.type },
                  { head: 'Status', cell: (job) => jobBadge(job.status) },
                  { head: 'Why', class: 'why', cell: why },
                  { head: 'Attempt', class: 'num wide', cell: (job) => `${job.attempt} of ${job.maxAttempts}` },
                  when(route.query.get('status')),
                ],
                answer.jobs,
                { caption: 'Jobs', key: (job) => job.id },
              ),
          h('footer', {}, h('span', { class: 'muted' }, shown(answer.jobs.length, answer.lookedAt, answer.next)), answer.next && button('Look further', further)),
        ),
      ),
    );
  }

  function further() {
    const next = new URLSearchParams(route.query);
    next.set('after', answer.next);
    go(`${route.path}?${next}`);
  }

  return { load, poll: load };
}

export function job({ names: [id], replace, get, go, act, ask, may, features, failed }) {
  let seen;

  async function load() {
    try {
      seen = await get(`jobs/${seg(id)}`);
      render();
    } catch (error) {
      failed(error);
    }
  }

  async function change(verb, text, done, danger) {
    const given = await ask({ title: `${verb} this job?`, text, confirm: verb === 'Cancel' ? 'Cancel the job' : verb, danger, fields: [{ name: 'reason', label: 'Reason, for the record' }] });
    return given && act(`jobs/${seg(id)}/${verb.toLowerCase()}`, given, done);
  }

  async function replay() {
    const made = await change('Replay', 'It runs once more, as a new job with the same payload.', 'Replayed.');
    if (made) go(`/jobs/${made.id}`);
  }

  function tools() {
    if (!may || seen.workflow) return [];
    if (['SCHEDULED', 'PENDING', 'LEASED'].includes(seen.status)) return [button('Cancel', () => change('Cancel', 'If it runs, its handler is asked to stop.', 'Canceled.', true), { class: 'danger' })];
    if (seen.status === 'SUCCEEDED') return [button('Replay', replay)];
    return [button('Requeue', () => change('Requeue', 'It runs again with new attempts, from its checkpoint.', (done) => `Run ${done.run} waits for a worker.`), { class: 'primary' })];
  }

  function render() {
    replace(
      h(
        'div',
        { class: 'page' },
        h('nav', { class: 'crumbs' }, h('a', { href: '#/jobs' }, 'Jobs'), h('a', { href: `#/jobs?type=${encodeURIComponent(seen.type)}` }, seen.type)),
        h('h1', {}, h('span', { class: 'mono' }, short(seen.id)), ' ', jobBadge(seen.status)),
        panel(
          seen.type,
          { tools: tools() },
          seen.errorMessage && h('p', { class: 'error' }, seen.errorCode && h('code', {}, seen.errorCode), ' ', seen.errorMessage),
          !seen.errorMessage && h('p', { class: 'lead' }, why(seen)),
          seen.progressTotal && seen.status !== 'LEASED' && bar(seen),
          facts([
            ['Id', h('span', { class: 'mono' }, seen.id)],
            ['Workflow', seen.workflow && h('a', { class: 'mono', href: `#/workflows/${seen.workflow}` }, short(seen.workflow))],
            ['Tenant', seen.tenant],
            ['Run', seen.run],
            ['Attempt', `${seen.attempt} of ${seen.maxAttempts}`],
            ['Stage', seen.stage],
            ['Created', clock(seen.createdAt)],
            ['Due', clock(seen.dueAt)],
            ['Started', seen.startedAt && clock(seen.startedAt)],
            ['Finished', seen.finishedAt && clock(seen.finishedAt)],
            ['Took', seen.startedAt && seen.finishedAt && duration(Date.parse(seen.finishedAt) - Date.parse(seen.startedAt))],
            ['Worker', seen.worker && h('span', { class: 'mono' }, seen.worker)],
            ['Lease until', seen.status === 'LEASED' && seen.leaseUntil ? clock(seen.leaseUntil) : undefined],
            ['Timeout', duration(seen.timeout)],
            ['Priority', seen.priority],
            ['Resource', seen.resourceKey],
            ['Reason', seen.reason],
          ]),
        ),
        panel('Timeline', {}, timeline(seen)),
        panel(
          'Log',
          { note: lines(seen.log.length), class: 'logs' },
          seen.log.length === 0
            ? empty('Its handler said nothing', 'Handlers tell people something with context.log(level, message).')
            : h('ol', { class: 'log' }, seen.log.map((line) => h('li', { class: line.level.toLowerCase() }, h('time', { datetime: line.at }, clockTime(line.at)), h('b', {}, line.level), h('span', {}, line.message)))),
        ),
        features.payloads && panel('What it carries', {}, code('Payload', seen.payload && pretty(seen.payload)), code('Checkpoint', seen.checkpoint && pretty(seen.checkpoint)), code('Output', seen.output && pretty(seen.output))),
      ),
    );
  }

  return {
    load,
    watch: `job=${id}`,
    subject(fresh) {
      seen = fresh;
      render();
    },
  };
}

const MOST_LINES = 500;

function lines(found) {
  if (found === 0) return '';
  if (found === 1) return '1 line';
  return found < MOST_LINES ? `${found} lines, newest first` : `the latest ${MOST_LINES} lines`;
}

/** Attempts as bars on a common time axis, and what happened between them. */
function timeline(job) {
  const begin = Date.parse(job.createdAt);
  const spans = job.attempts.map((attempt) => ({ ...attempt, from: Date.parse(attempt.leasedAt), to: Date.parse(attempt.finishedAt) }));
  if (job.status === 'LEASED' && job.leasedAt) spans.push({ run: job.run, attempt: job.attempt, worker: job.worker, from: Date.parse(job.leasedAt), to: Date.now(), outcome: 'RUNNING' });
  const end = Math.max(begin + 1000, ...spans.map((span) => span.to), ...job.events.map((event) => Date.parse(event.at)));
  const percent = (millis) => `${(100 * (millis - begin)) / (end - begin)}%`;
  if (spans.length === 0 && job.events.length === 0) return empty('Nothing happened yet', 'Attempts appear here when a worker takes the job.');
  return [
    h(
      'div',
      { class: 'gantt' },
      spans.map((span) =>
        h(
          'div',
          { class: 'lane', 'data-key': `${span.run}/${span.attempt}` },
          h('span', { class: 'label' }, `${span.run > 1 ? `run ${span.run}, ` : ''}attempt ${span.attempt}`),
          h('span', { class: 'track' }, h('i', { class: badgeTone(span.outcome), style: { left: percent(span.from), width: `max(3px, ${(100 * (span.to - span.from)) / (end - begin)}%)` } })),
          h('span', { class: 'text' }, badge(span.outcome), ' ', duration(span.to - span.from), span.errorMessage && h('span', { class: 'muted' }, ` ${span.errorMessage}`), span.nextDueAt && h('span', { class: 'muted' }, '; next ', time(span.nextDueAt))),
        ),
      ),
    ),
    job.events.length > 0 && h('ul', { class: 'events' }, job.events.map((event) => h('li', {}, h('time', { datetime: event.at }, clock(event.at)), ' ', badge(event.kind), ' ', event.detail))),
  ];
}

function badgeTone(outcome) {
  return badge(outcome).className.replace('badge ', '');
}
