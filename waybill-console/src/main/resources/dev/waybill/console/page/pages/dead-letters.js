import { seg } from '../lib/api.js';
import { byToken, hold, tokenOf } from '../lib/claims.js';
import { h } from '../lib/dom.js';
import { clock, count, pretty, time } from '../lib/format.js';
import { badge, button, code, empty, facts, filters, panel, table } from '../lib/parts.js';

const FIELDS = ['queue', 'partition', 'type', 'failedAfter', 'failedBefore'];
const REPLAY = { text: 'They are yours for so long: deal with them by hand, then resolve them or give them back. Nothing is delivered.', fields: [{ name: 'minutes', label: 'Minutes', type: 'number', placeholder: '15' }] };
const GIVE_BACK = { text: 'They wait again, with one more try and this reason.', fields: [{ name: 'reason', label: 'Why it failed again' }] };

const minutes = (given) => (given.minutes ? { minutes: Number(given.minutes) } : {});

export function deadLetters(context) {
  const { route, state, replace, get, go, act, ask, may, failed } = context;
  const chosen = new Set();
  let answer = { deadLetters: [], more: false };

  const filter = () => Object.fromEntries(FIELDS.map((name) => [name, route.query.get(name)]).filter(([, value]) => value));
  const parameters = () => ({ ...filter(), status: route.query.get('status'), beforeTime: route.query.get('beforeTime'), beforeId: route.query.get('beforeId'), limit: 50 });

  async function load() {
    try {
      answer = await get('dead-letters', parameters());
      render();
    } catch (error) {
      failed(error);
    }
  }

  async function change(verb, past, text, danger) {
    const some = chosen.size > 0;
    const sure = await ask({ title: `${verb} ${what()}?`, text, confirm: verb, danger });
    if (!sure) return;
    let total = 0;
    let more = true;
    // Those that were there when somebody looked: what fails again meanwhile is not done over and over.
    const seen = new Date(Date.parse(answer.deadLetters[0].failedAt) + 1).toISOString();
    const matching = { ...filter(), failedBefore: filter().failedBefore && filter().failedBefore < seen ? filter().failedBefore : seen };
    // A call concerns at most a thousand; the server says whether some are left.
    while (more) {
      const done = await act(`dead-letters/${verb.toLowerCase()}`, some ? { ids: [...chosen] } : matching, (each) => `${past} ${count((total += each.changed))}.`);
      more = done?.more ?? false;
    }
    chosen.clear();
    load();
  }

  const what = () => (chosen.size > 0 ? `${chosen.size} chosen` : Object.keys(filter()).length ? 'all that meet the filter' : 'all pending');

  async function replay() {
    const given = await ask({ ...REPLAY, title: `Replay ${what()}?`, text: `${REPLAY.text} At most 200 at a time.`, confirm: 'Replay' });
    if (!given) return;
    const claim = await act('dead-letters/replay', { ...(chosen.size > 0 ? { ids: [...chosen] } : filter()), ...minutes(given) }, (done) => `You have ${count(done.changed)} of them now.`);
    if (!claim?.changed) return;
    hold(claim);
    go('/dead-letters?status=REPROCESSING');
  }

  const held = () => answer.deadLetters.filter((letter) => tokenOf(letter) && (chosen.size === 0 || chosen.has(letter.id)));

  async function settle(verb, past, extra) {
    const letters = held();
    const given = await ask({ title: `${verb} ${letters.length}?`, text: 'They were dealt with by hand; that is all.', confirm: verb, ...extra });
    if (!given) return;
    for (const [token, ids] of byToken(letters)) await act(`dead-letters/${extra ? 'reject' : 'resolve'}`, { token, ids, ...given }, (done) => `${past} ${count(done.changed)}.`);
    chosen.clear();
    load();
  }

  function render() {
    const queueNames = (state.sample?.queues ?? []).map((queue) => queue.name);
    const open = !route.query.get('status') || route.query.get('status') === 'PENDING';
    const tools =
      may && open && answer.deadLetters.length > 0
        ? [
            h('span', { class: 'muted' }, chosen.size ? `${chosen.size} chosen` : 'all that match'),
            button('Requeue', () => change('Requeue', 'Requeued', 'Each becomes a new message, the last of the partition it was in.'), { class: 'primary' }),
            button('Replay', replay, { title: 'Take them up and deal with them by hand' }),
            button('Resolve', () => change('Resolve', 'Resolved', 'Says that they were dealt with by hand; nothing is delivered.')),
            button('Discard', () => change('Discard', 'Discarded', 'They are given up for good. They stay listed as discarded until a clean-up.', true), { class: 'danger' }),
          ]
        : may && held().length > 0
          ? [
              h('span', { class: 'muted' }, chosen.size ? `${chosen.size} chosen` : 'all that you have taken up'),
              button('Resolve', () => settle('Resolve', 'Resolved'), { class: 'primary' }),
              button('Give back', () => settle('Give back', 'Gave back', GIVE_BACK)),
            ]
          : [];
    const choosing = may && (open || answer.deadLetters.some(tokenOf));
    replace(
      h(
        'div',
        { class: 'page' },
        h('h1', {}, 'Dead letters'),
        filters(
          route,
          [
            { name: 'queue', label: 'Queue', options: queueNames, raw: true },
            { name: 'type', label: 'Type', placeholder: 'order.placed' },
            { name: 'status', label: 'Status', options: ['PENDING', 'REPROCESSING', 'RESOLVED', 'DISCARDED', 'ANY'], any: 'pending' },
            { name: 'failedAfter', label: 'Failed after', type: 'datetime-local' },
            { name: 'failedBefore', label: 'Failed before', type: 'datetime-local' },
          ],
          go,
        ),
        panel(
          null,
          { class: 'listing' },
          tools.length > 0 && h('div', { class: 'bar' }, tools),
          answer.deadLetters.length === 0
            ? empty('No dead letters here', 'A message becomes one when its handler rejects it, or when it failed too often. Nothing that meets this filter was.')
            : table(
                [
                  ...(choosing ? [{ head: chooseAll(), class: 'tick', cell: (letter) => (open || tokenOf(letter) ? tick(letter) : '') }] : []),
                  { head: 'Message', cell: (letter) => h('a', { class: 'row', href: `#/dead-letters/${letter.id}` }, `${letter.queue}/${letter.partition}/${letter.seq}`) },
                  { head: 'Type', cell: (letter) => letter.type },
                  { head: 'Status', class: 'wide', cell: (letter) => badge(letter.status) },
                  { head: 'Why', class: 'why', cell: (letter) => letter.lastError },
                  { head: 'Tries', class: 'num wide', cell: (letter) => count(letter.attempts) },
                  { head: 'Failed', class: 'num', cell: (letter) => time(letter.failedAt) },
                  ...(open || !answer.deadLetters.some((letter) => letter.status === 'REPROCESSING') ? [] : [{ head: 'Claim ends', class: 'num', cell: (letter) => (letter.deadline ? [tokenOf(letter) && 'yours, ', time(letter.deadline)] : '') }]),
                ],
                answer.deadLetters,
                { caption: 'Dead letters', key: (letter) => letter.id },
              ),
          h('footer', {}, h('span', { class: 'muted' }, `${answer.deadLetters.length} shown`), answer.more && button('Older ones', older)),
        ),
      ),
    );
  }

  function older() {
    const last = answer.deadLetters[answer.deadLetters.length - 1];
    const next = new URLSearchParams(route.query);
    next.set('beforeTime', last.failedAt);
    next.set('beforeId', last.id);
    go(`${route.path}?${next}`);
  }

  function tick(letter) {
    return h('input', {
      type: 'checkbox',
      'aria-label': `Choose ${letter.queue}/${letter.partition}/${letter.seq}`,
      checked: chosen.has(letter.id),
      onchange: (event) => {
        if (event.target.checked) chosen.add(letter.id);
        else chosen.delete(letter.id);
        render();
      },
    });
  }

  function chooseAll() {
    const all = answer.deadLetters.length > 0 && answer.deadLetters.every((letter) => chosen.has(letter.id));
    return h('input', {
      type: 'checkbox',
      'aria-label': 'Choose all shown',
      checked: all,
      onchange: (event) => {
        answer.deadLetters.filter((letter) => letter.status === 'PENDING' || tokenOf(letter)).forEach((letter) => (event.target.checked ? chosen.add(letter.id) : chosen.delete(letter.id)));
        render();
      },
    });
  }

  return { load, poll: () => chosen.size === 0 && load() };
}

export function deadLetter({ names: [id], replace, get, act, ask, may, features, failed }) {
  let letter;

  async function load() {
    try {
      letter = await get(`dead-letters/${seg(id)}`);
      render();
    } catch (error) {
      failed(error);
    }
  }

  async function change(verb, past, text, danger) {
    if (await ask({ title: `${verb} this dead letter?`, text, confirm: verb, danger })) {
      act(`dead-letters/${verb.toLowerCase()}`, { ids: [letter.id] }, (done) => (done.changed ? `${past}.` : 'Somebody else has dealt with it meanwhile.'));
    }
  }

  async function replay() {
    const given = await ask({ ...REPLAY, title: 'Replay this dead letter?', text: REPLAY.text.replace('They are', 'It is').replaceAll('them', 'it'), confirm: 'Replay' });
    if (!given) return;
    const claim = await act('dead-letters/replay', { ids: [letter.id], ...minutes(given) }, (done) => (done.changed ? 'It is yours now.' : 'Somebody else has it.'));
    if (!claim?.changed) return;
    hold(claim);
    load();
  }

  async function settle(verb, past, extra) {
    const given = await ask({ title: `${verb} this dead letter?`, text: 'It was dealt with by hand; that is all.', confirm: verb, ...extra });
    if (given) act(`dead-letters/${extra ? 'reject' : 'resolve'}`, { token: tokenOf(letter), ids: [letter.id], ...given }, `${past}.`);
  }

  function tools() {
    if (!may) return [];
    if (tokenOf(letter)) return [button('Resolve', () => settle('Resolve', 'Resolved'), { class: 'primary' }), button('Give back', () => settle('Give back', 'Gave it back', { ...GIVE_BACK, text: 'It waits again, with one more try and this reason.' }))];
    const free = letter.status === 'PENDING' || (letter.status === 'REPROCESSING' && Date.parse(letter.deadline) < Date.now());
    if (!free) return [];
    return [
      button('Requeue', () => change('Requeue', 'Requeued', 'It becomes a new message, the last of the partition it was in.'), { class: 'primary' }),
      button('Replay', replay, { title: 'Take it up and deal with it by hand' }),
      button('Resolve', () => change('Resolve', 'Resolved', 'Says that it was dealt with by hand; nothing is delivered.')),
      button('Discard', () => change('Discard', 'Discarded', 'It is given up for good.', true), { class: 'danger' }),
    ];
  }

  function render() {
    replace(
      h(
        'div',
        { class: 'page' },
        h('nav', { class: 'crumbs' }, h('a', { href: '#/dead-letters' }, 'Dead letters')),
        h('h1', {}, `${letter.queue}/${letter.partition}/${letter.seq} `, badge(letter.status)),
        panel(
          'Why it was given up',
          { tools: tools() },
          h('p', { class: 'error' }, letter.lastError),
          facts([
            ['Queue', h('a', { href: `#/queues/${encodeURIComponent(letter.queue)}` }, letter.queue)],
            ['Partition', letter.partition],
            ['Number', count(letter.seq)],
            ['Type', letter.type],
            ['Message id', String(letter.messageId)],
            ['Tries', count(letter.attempts)],
            ['Enqueued', clock(letter.createdAt)],
            ['Failed', clock(letter.failedAt)],
            ['Claimed until', letter.deadline && `${clock(letter.deadline)}${tokenOf(letter) ? ', by you' : ''}`],
            ['Ended', letter.completedAt && clock(letter.completedAt)],
            ['Key', letter.key],
          ]),
        ),
        panel(
          'What it carries',
          {},
          features.payloads
            ? [code('Payload', letter.payload === undefined ? undefined : pretty(letter.payload)), Object.keys(letter.headers ?? {}).length > 0 && facts(Object.entries(letter.headers))]
            : empty('Payloads are hidden', 'Keys, headers and payloads are shown if the console was started so: ConsoleOptions.payloads(redactor).'),
        ),
      ),
    );
  }

  return { load, poll: load };
}
