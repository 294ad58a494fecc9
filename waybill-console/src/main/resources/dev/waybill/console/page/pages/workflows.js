import { seg } from '../lib/api.js';
import { h } from '../lib/dom.js';
import { clock, count, duration, pretty, short, shown, time } from '../lib/format.js';
import { drawGraph, MOST_DRAWN, stepLine } from '../lib/graph.js';
import { badge, button, code, empty, facts, filters, none, panel, table } from '../lib/parts.js';

const STATUSES = ['RUNNING', 'WAITING', 'SUCCEEDED', 'FAILED', 'CANCELED'];

export function workflows({ route, replace, get, go, failed }) {
  let answer = { runs: [] };
  let waiting = { gates: [] };

  async function load() {
    try {
      const { gates, ...wanted } = Object.fromEntries(route.query);
      [answer, waiting] = await Promise.all([get('workflows', { ...wanted, limit: 50 }), get('gates', { after: gates ?? '', limit: 20 })]);
      render();
    } catch (error) {
      failed(error);
    }
  }

  function further(name, place) {
    const next = new URLSearchParams(route.query);
    next.set(name, place);
    go(`${route.path}?${next}`);
  }

  function why(run) {
    const gates = waiting.gates.filter((gate) => gate.workflow === run.id).map((gate) => gate.step);
    const waits = gates.length > 0 ? `waits for somebody to complete ${gates.join(', ')}` : run.status === 'WAITING' ? 'waits for somebody to complete a gate' : '';
    return run.reason ?? run.why ?? waits;
  }

  function render() {
    replace(
      h(
        'div',
        { class: 'page' },
        h('h1', {}, 'Workflows'),
        (waiting.gates.length > 0 || route.query.has('gates')) && gatesPanel(waiting, (place) => further('gates', place)),
        filters(
          route,
          [
            { name: 'type', label: 'Type', placeholder: 'order' },
            { name: 'status', label: 'Status', options: STATUSES },
            { name: 'attribute', label: 'Attribute', placeholder: 'customer=4711' },
          ],
          go,
        ),
        panel(
          null,
          { class: 'listing' },
          answer.runs.length === 0
            ? none('runs', answer, route.query.toString() !== '', 'A run appears when a service starts one: workflows.start(connection, workflow).')
            : table(
                [
                  { head: 'Run', cell: (run) => h('a', { class: 'row mono', href: `#/workflows/${run.id}` }, short(run.id)) },
                  { head: 'Type', cell: (run) => run.type },
                  { head: 'Status', cell: (run) => badge(run.status) },
                  { head: 'Steps', cell: (run) => `${count(run.stepCount - run.openSteps)} of ${count(run.stepCount)} ended` },
                  { head: 'Why', class: 'why wide', cell: why },
                  { head: 'Began', class: 'num', cell: (run) => time(run.createdAt) },
                  { head: 'Took', class: 'num wide', cell: (run) => (run.finishedAt ? duration(Date.parse(run.finishedAt) - Date.parse(run.createdAt)) : '') },
                ],
                answer.runs,
                { caption: 'Runs of workflows', key: (run) => run.id },
              ),
          h('footer', {}, h('span', { class: 'muted' }, shown(answer.runs.length, answer.lookedAt, answer.next)), answer.next && button('Look further', () => further('after', answer.next))),
        ),
      ),
    );
  }

  return { load, poll: load };
}

function gatesPanel({ gates, next }, further) {
  return panel(
    'Gates that wait for somebody',
    { note: 'the longest first' },
    table(
      [
        { head: 'Gate', cell: (gate) => h('a', { class: 'row', href: `#/workflows/${gate.workflow}?step=${encodeURIComponent(gate.step)}` }, gate.step) },
        { head: 'Workflow', cell: (gate) => gate.type },
        { head: 'Run', class: 'wide', cell: (gate) => h('span', { class: 'mono muted' }, short(gate.workflow)) },
        { head: 'Reminder or deadline', class: 'num', cell: (gate) => (gate.timerAt ? time(gate.timerAt) : '') },
        { head: 'Waits since', class: 'num', cell: (gate) => time(gate.since) },
      ],
      gates,
      { caption: 'Gates that wait for somebody', key: (gate) => `${gate.workflow}/${gate.step}` },
    ),
    next && h('footer', {}, button('Those that wait for less', () => further(next))),
  );
}

export function workflow({ names: [id], route, replace, get, go, act, ask, may, features, failed }) {
  let run;
  let body;
  const path = `workflows/${seg(id)}`;
  const selected = () => route.query.get('step') ?? run.steps.find((step) => step.status === 'WAITING' || step.status === 'FAILED')?.key;

  async function load() {
    try {
      run = await get(path);
      render();
      await loadBody();
    } catch (error) {
      failed(error);
    }
  }

  async function loadBody() {
    const step = selected();
    if (features.payloads && step) {
      body = { step, ...(await get(`${path}/steps/${seg(step)}`)) };
      render();
    }
  }

  function select(step) {
    const next = new URLSearchParams(route.query);
    next.set('step', step);
    go(`${route.path}?${next}`);
  }

  async function change(verb, text, done, danger, more = {}) {
    const given = await ask({ title: `${verb} this run?`, text, confirm: verb === 'Cancel' ? 'Cancel the run' : verb, danger, fields: [{ name: 'reason', label: 'Reason, for the record' }] });
    return given && act(`${path}/${verb.toLowerCase()}`, { ...given, ...more }, done);
  }

  async function rerun(fromStep) {
    const made = await change('Rerun', fromStep ? `As a new run: ${fromStep} and all that follows from it anew, the rest as it ended.` : 'Everything anew, as a new run.', 'Started a new run.', false, fromStep ? { fromStep } : {});
    if (made) go(`/workflows/${made.id}`);
  }

  async function complete(step, end, title, danger) {
    const fields =
      end === 'SUCCEEDED'
        ? [{ name: 'output', label: 'Output, as JSON', lines: 3, placeholder: '{"approved": true}' }]
        : [{ name: 'message', label: 'Why' }, ...(end === 'FAILED' ? [{ name: 'code', label: 'Code, for programs', placeholder: 'rejected' }] : [])];
    const given = await ask({ title: `${title} ${step.key}?`, text: 'What waits for this gate goes on at once.', confirm: title, danger, fields: [...fields, { name: 'token', label: 'Token, if the gate has one', type: 'password' }] });
    if (given) act(`${path}/gates/${seg(step.key)}`, { end, ...given }, (done) => (done.outcome === 'ALREADY' ? 'It was completed so before.' : 'The gate is completed.'));
  }

  function tools() {
    if (!may) return [];
    if (['RUNNING', 'WAITING'].includes(run.status)) return [button('Cancel run', () => change('Cancel', 'What waits never runs; what runs is asked to stop.', 'Canceled.', true), { class: 'danger' })];
    return [['FAILED', 'CANCELED'].includes(run.status) && button('Retry', () => change('Retry', 'It goes on where it failed; what succeeded stays.', 'It goes on.'), { class: 'primary' }), button('Rerun', () => rerun())].filter(Boolean);
  }

  /** For runs that are too large to draw: what has not succeeded, first. */
  function stepList() {
    const open = run.steps.filter((step) => step.status !== 'SUCCEEDED');
    return [
      table(
        [
          { head: 'Step', cell: (step) => h('a', { class: 'row', href: `#${route.path}?step=${encodeURIComponent(step.key)}` }, step.key) },
          { head: 'State', cell: (step) => badge(step.status) },
          { head: 'Why', class: 'why', cell: (step) => step.errorMessage ?? (step.blockedBy.length ? `waits for ${step.blockedBy.slice(0, 5).join(', ')}` : stepLine(step)) },
        ],
        open.slice(0, 200),
        { caption: 'Steps that have not succeeded', key: (step) => step.key },
      ),
      h('p', { class: 'muted' }, `${count(run.steps.length)} steps are too many to draw. ${count(open.length)} have not succeeded${open.length > 200 ? '; the first 200 are listed' : ''}.`),
    ];
  }

  function stepPanel() {
    const step = run.steps.find((each) => each.key === selected());
    if (!step) return panel('Step', {}, empty('Choose a step', 'Its state, errors and, for gates, what to do with it appear here.'));
    const open = may && step.kind === 'GATE' && step.status === 'WAITING';
    const ended = !['RUNNING', 'WAITING'].includes(run.status);
    return panel(
      h('span', {}, step.key, ' ', badge(step.status)),
      {
        key: step.key,
        tools: [
          open && button('Approve', () => complete(step, 'SUCCEEDED', 'Approve'), { class: 'primary' }),
          open && button('Reject', () => complete(step, 'FAILED', 'Reject', true), { class: 'danger' }),
          open && button('Cancel gate', () => complete(step, 'CANCELED', 'Cancel', true)),
          may && ended && button('Rerun from here', () => rerun(step.key)),
        ].filter(Boolean),
      },
      step.errorMessage && h('p', { class: 'error' }, step.errorCode && h('code', {}, step.errorCode), ' ', step.errorMessage),
      facts([
        ['What', `${step.kind.toLowerCase()}${step.type ? ` of type ${step.type}` : ''}`],
        ['State', stepLine(step)],
        ['Element of', step.map],
        ['Run', step.child && h('a', { class: 'mono', href: `#/workflows/${step.child}` }, short(step.child))],
        ['Waits for', step.blockedBy.length ? step.blockedBy.slice(0, 20).join(', ') + (step.blockedBy.length > 20 ? ` and ${step.blockedBy.length - 20} more` : '') : undefined],
        ['Job', step.run > 0 ? h('a', { class: 'mono', href: `#/jobs/${step.id}` }, short(step.id)) : undefined],
        ['Attempt', step.attempt || undefined],
        ['Worker', step.worker && h('span', { class: 'mono' }, step.worker)],
        ['Released', step.releasedAt && clock(step.releasedAt)],
        ['Started', step.startedAt && clock(step.startedAt)],
        ['Ended', step.finishedAt && clock(step.finishedAt)],
        [step.kind === 'GATE' ? 'Reminder or deadline' : 'Passes', step.timerAt && !step.finishedAt ? time(step.timerAt) : undefined],
        ['May fail', step.mayFail ? 'yes' : undefined],
        ['Reason', step.reason],
      ]),
      body?.step === step.key && [code('Payload', body.payload && pretty(body.payload)), code('Output', body.output && pretty(body.output))],
    );
  }

  function render() {
    const attributes = Object.entries(run.attributes);
    replace(
      h(
        'div',
        { class: 'page' },
        h('nav', { class: 'crumbs' }, h('a', { href: '#/workflows' }, 'Workflows'), h('a', { href: `#/workflows?type=${encodeURIComponent(run.type)}` }, run.type)),
        h('h1', {}, run.type, ' ', h('span', { class: 'mono muted' }, short(run.id)), ' ', badge(run.status)),
        panel(
          'Graph',
          { note: `${count(run.stepCount - run.openSteps)} of ${count(run.stepCount)} steps ended`, tools: tools() },
          run.steps.length > MOST_DRAWN
            ? stepList()
            : [
                h('div', { class: 'canvas', tabindex: '0', role: 'region', 'aria-label': 'Graph' }, drawGraph(run.steps, selected(), select)),
                h('p', { class: 'legend-line muted' }, 'Dashed: goes on whatever the end. Round: a gate or a delay.'),
              ],
        ),
        stepPanel(),
        panel(
          'Run',
          {},
          facts([
            ['Id', h('span', { class: 'mono' }, run.id)],
            ['Tenant', run.tenant],
            ['Began', clock(run.createdAt)],
            ['Ended', run.finishedAt && clock(run.finishedAt)],
            ['Active key', run.activeKey],
            ['Started by', run.parent && h('a', { class: 'mono', href: `#/workflows/${run.parent}` }, short(run.parent))],
            ['Rerun of', run.source && h('a', { class: 'mono', href: `#/workflows/${run.source}` }, short(run.source))],
            ['Reason', run.reason],
            ...attributes,
          ]),
          code('Input', run.input && pretty(run.input)),
          code('Result', run.result && pretty(run.result)),
        ),
      ),
    );
  }

  return {
    load,
    watch: `workflow=${id}`,
    subject(fresh) {
      run = fresh;
      render();
    },
  };
}
