import { LineChart } from '../lib/charts.js';
import { h } from '../lib/dom.js';
import { capped, count, duration } from '../lib/format.js';
import { badge, empty, panel, table } from '../lib/parts.js';

const WORDS = { BAD: 'act', WARN: 'look', INFO: 'note' };

export function overview({ state, replace, features }) {
  const perSecond = (value) => (value === null ? '–' : `${count(Math.round(value * 10) / 10)}/s`);
  const charts = [
    { title: 'Messages', lines: [['in', 'numbered', '--accent', 'dashed'], ['out', 'done', '--good']], format: perSecond, label: 'Messages numbered and done per second' },
    { title: 'Lag', lines: [['lag', 'waiting', '--warn']], format: count, label: 'Messages that wait' },
    { title: 'Oldest wait', lines: [['waiting', 'oldest', '--warn']], format: duration, label: 'How long the oldest message waits' },
    { title: 'Delivery time', lines: [['p50', 'p50', '--good'], ['p95', 'p95', '--accent'], ['p99', 'p99', '--warn']], format: duration, label: 'How long deliveries took in the last half minute: median, 95th and 99th percentile' },
    { title: 'Failures', lines: [['retries', 'retried', '--warn'], ['rejects', 'given up', '--bad']], format: perSecond, label: 'Deliveries that failed in the last half minute, per second' },
    { title: 'Partitions', lines: [['retrying', 'blocked', '--bad'], ['parked', 'parked', '--warn']], format: count, label: 'Partitions that a message blocks, and parked messages' },
    { title: 'Jobs', lines: [['pending', 'due', '--warn'], ['running', 'running', '--accent']], format: count, label: 'Jobs that are due and that run', jobs: true },
  ]
    .filter((chart) => !chart.jobs || features.jobs)
    .map((chart) => ({ ...chart, drawn: new LineChart(chart.label, chart.lines.map(([key, label, color, dashed]) => ({ key, label, color, dashed, fill: chart.lines.length === 1 })), chart.format, chart.format === count) }));

  function render(sample) {
    const last = state.points[state.points.length - 1] ?? {};
    replace(
      h(
        'div',
        { class: 'page overview' },
        h('h1', {}, 'Overview'),
        attention(sample.attention),
        h(
          'div',
          { class: charts.length > 5 ? 'charts many' : 'charts' },
          charts.map((chart) =>
            panel(
              chart.title,
              { class: 'chart-panel', key: chart.title, tools: chart.lines.map(([key, label, color]) => h('span', { class: 'legend' }, h('i', { class: color.slice(2) }), `${label} `, h('b', {}, chart.format(last[key] ?? null)))) },
              chart.drawn.node,
            ),
          ),
        ),
        queuesPanel(sample),
        features.jobs && jobsPanel(sample),
        features.workflows && runsPanel(sample),
      ),
    );
    charts.forEach((chart) => chart.drawn.draw(state.points));
  }

  return { sample: render, dispose: () => charts.forEach((chart) => chart.drawn.dispose()) };
}

function attention(items) {
  if (items.length === 0) {
    return panel('Needs attention', { class: 'attention calm' }, empty('Nothing needs attention', 'Every partition moves, nothing was given up, and all workers of this process get on.'));
  }
  return panel(
    'Needs attention',
    { class: 'attention', note: items.length === 1 ? '1 thing' : `${items.length} things` },
    h('ul', {}, items.map((item) => h('li', {}, h('a', { href: `#${item.link}` }, badge(item.level, WORDS[item.level]), h('span', {}, h('strong', {}, item.what), h('span', { class: 'why' }, item.why)))))),
  );
}

function queuesPanel(sample) {
  return panel(
    'Queues',
    {},
    sample.queues.length === 0
      ? empty('No queue was ever registered here', 'A queue appears when a service names it: outbox.queue("orders", Partitions.of(4)).')
      : table(
          [
            { head: 'Queue', cell: (queue) => h('a', { class: 'row', href: `#/queues/${encodeURIComponent(queue.name)}` }, queue.name) },
            { head: 'State', cell: (queue) => summary(queue) },
            { head: 'Waiting', class: 'num', cell: (queue) => count(queue.lag) },
            { head: 'Oldest', class: 'num', cell: (queue) => duration(queue.waiting) },
            { head: 'In/s', class: 'num wide', cell: (queue) => count(queue.rates.in) },
            { head: 'Out/s', class: 'num', cell: (queue) => count(queue.rates.out) },
            ...paceColumns(),
          ],
          sample.queues,
          { caption: 'Queues', key: (queue) => queue.name },
        ),
  );
}

/** How long deliveries of a queue took in the last half minute in which there were any. */
export function paceColumns() {
  const within = (share) => `Within this time ${share} of the messages delivered lately were done`;
  return [
    { head: h('abbr', { title: within('half') }, 'p50'), class: 'num wide', cell: (queue) => duration(queue.delivery?.p50) },
    { head: h('abbr', { title: within('99 %') }, 'p99'), class: 'num wide', cell: (queue) => duration(queue.delivery?.p99) },
  ];
}

/** How many partitions are in which state. */
export function summary(queue) {
  const states = new Map();
  for (const partition of queue.partitions) states.set(partition.state, (states.get(partition.state) ?? 0) + 1);
  const order = ['retrying', 'paused', 'waiting', 'delivering', 'idle'];
  return h('span', { class: 'badges' }, order.filter((name) => states.has(name)).map((name) => badge(name, states.get(name) === queue.partitions.length ? name : `${states.get(name)} ${name}`)));
}

function jobsPanel(sample) {
  return panel(
    'Jobs',
    {},
    sample.jobTypes.length === 0
      ? empty('No type of job is defined', 'A type appears when a service defines it: jobs.define(JobDefinition.of("invoice"), handler).')
      : table(
          [
            { head: 'Type', cell: (type) => h('a', { class: 'row', href: `#/jobs?type=${encodeURIComponent(type.type)}` }, type.type) },
            { head: 'State', cell: (type) => (type.paused ? badge('paused') : type.enabled ? badge('active') : badge('disabled')) },
            { head: 'Due', class: 'num', cell: (type) => capped(type.counts.PENDING) },
            { head: 'Running', class: 'num', cell: (type) => capped(type.counts.LEASED) },
            { head: 'Scheduled', class: 'num wide', cell: (type) => capped(type.counts.SCHEDULED) },
            { head: 'Failed', class: 'num', cell: (type) => (type.counts.DEAD_LETTERED ? h('a', { class: 'bad', href: `#/jobs?type=${encodeURIComponent(type.type)}&status=DEAD_LETTERED` }, capped(type.counts.DEAD_LETTERED)) : capped(type.counts.DEAD_LETTERED)) },
          ],
          sample.jobTypes,
          { caption: 'Types of jobs', key: (type) => type.type },
        ),
  );
}

function runsPanel(sample) {
  const shown = ['RUNNING', 'WAITING', 'FAILED', 'SUCCEEDED', 'CANCELED'].filter((status) => sample.runs[status]);
  return panel(
    'Workflows',
    { note: sample.runsSeen ? `of the newest ${sample.runsSeen} runs` : '' },
    shown.length === 0
      ? empty('No workflow was ever started here', 'A run appears when a service starts one: workflows.start(connection, workflow).')
      : h('p', { class: 'badges' }, shown.map((status) => h('a', { href: `#/workflows?status=${status}` }, badge(status, `${count(sample.runs[status])} ${status.toLowerCase()}`)))),
  );
}
