import { seg } from '../lib/api.js';
import { h } from '../lib/dom.js';
import { count, duration, pretty, time } from '../lib/format.js';
import { badge, button, empty, facts, panel, table } from '../lib/parts.js';
import { paceColumns, summary } from './overview.js';

const why = (partition) => [partition.why, partition.until && [partition.state === 'retrying' ? ' Next try ' : ', whose lease ends ', time(partition.until)]];

export function queues({ replace }) {
  return {
    sample(sample) {
      replace(
        h(
          'div',
          { class: 'page' },
          h('h1', {}, 'Queues'),
          panel(
            null,
            {},
            sample.queues.length === 0
              ? empty('No queue was ever registered here', 'A queue appears when a service names it: outbox.queue("orders", Partitions.of(4)).')
              : table(
                  [
                    { head: 'Queue', cell: (queue) => h('a', { class: 'row', href: `#/queues/${encodeURIComponent(queue.name)}` }, queue.name) },
                    { head: 'Partitions', cell: summary },
                    { head: 'Waiting', class: 'num', cell: (queue) => count(queue.lag) },
                    { head: 'Parked', class: 'num wide', cell: (queue) => count(queue.parked) },
                    { head: 'Oldest', class: 'num', cell: (queue) => duration(queue.waiting) },
                    { head: 'In/s', class: 'num wide', cell: (queue) => count(queue.rates.in) },
                    { head: 'Out/s', class: 'num', cell: (queue) => count(queue.rates.out) },
                    ...paceColumns(),
                  ],
                  sample.queues,
                  { caption: 'Queues', key: (queue) => queue.name },
                ),
          ),
        ),
      );
    },
  };
}

/** How long deliveries took lately. */
const pace = (delivery) => (delivery ? `Delivered lately: half within ${duration(delivery.p50)}, 95 % within ${duration(delivery.p95)}, 99 % within ${duration(delivery.p99)}. ` : '');

export function queue({ names: [name], replace, act, ask, may }) {
  const path = `queues/${seg(name)}`;

  async function pause(partition) {
    const what = partition === undefined ? name : `partition ${partition} of ${name}`;
    const sure = await ask({ title: `Pause ${what}?`, text: 'Its delivery stops in all processes until somebody resumes it. Messages are still enqueued and numbered.', confirm: 'Pause' });
    if (sure) act(`${path}/pause`, { partition }, `Paused ${what}.`);
  }

  const resume = (partition) => act(`${path}/resume`, { partition }, `Resumed ${partition === undefined ? name : `partition ${partition}`}.`);

  return {
    sample(sample) {
      const found = sample.queues.find((each) => each.name === name);
      if (!found) {
        replace(h('div', { class: 'page' }, empty('There is no such queue', 'Names are case-sensitive.')));
        return;
      }
      const allPaused = found.partitions.every((partition) => partition.paused);
      replace(
        h(
          'div',
          { class: 'page' },
          h('nav', { class: 'crumbs' }, h('a', { href: '#/queues' }, 'Queues')),
          h('h1', {}, name),
          h('p', { class: 'lead' }, `${count(found.lag)} waiting, oldest ${duration(found.waiting)}, ${count(found.rates.in)}/s in, ${count(found.rates.out)}/s out. `, pace(found.delivery), h('a', { href: `#/dead-letters?queue=${encodeURIComponent(name)}` }, 'Its dead letters')),
          panel(
            'Partitions',
            { tools: may ? [allPaused ? button('Resume all', () => resume()) : button('Pause all', () => pause())] : [] },
            table(
              [
                { head: 'Partition', cell: (partition) => h('a', { class: 'row', href: `#/queues/${encodeURIComponent(name)}/${partition.number}`, 'aria-label': `Messages of partition ${partition.number}` }, partition.number) },
                { head: 'State', cell: (partition) => badge(partition.state) },
                { head: 'Why', class: 'why', cell: (partition) => why(partition) },
                { head: 'Waiting', class: 'num', cell: (partition) => count(partition.lag) },
                { head: 'Oldest', class: 'num', cell: (partition) => duration(partition.waiting) },
                { head: 'Parked', class: 'num wide', cell: (partition) => count(partition.parked) },
                { head: 'Done', class: 'num wide', cell: (partition) => `${count(partition.processed)} of ${count(partition.sequence)}` },
                { head: 'Lease', class: 'num wide', cell: (partition) => count(partition.leaseEpoch) },
                ...(may ? [{ head: '', class: 'act', cell: (partition) => (partition.paused ? button('Resume', () => resume(partition.number), { class: 'small', label: `Resume partition ${partition.number}` }) : button('Pause', () => pause(partition.number), { class: 'small', label: `Pause partition ${partition.number}` })) }] : []),
              ],
              found.partitions,
              { caption: `Partitions of ${name}`, key: (partition) => partition.number },
            ),
          ),
        ),
      );
    },
  };
}

/** What waits in a partition, in the order in which it is delivered. */
export function partition({ names: [name, number], route, state, replace, get, go, features, failed }) {
  let answer;

  async function load() {
    try {
      answer = await get(`queues/${seg(name)}/partitions/${seg(number)}/messages`, { after: route.query.get('after'), limit: 50 });
      render();
    } catch (error) {
      failed(error);
    }
  }

  function render() {
    const found = state.sample?.queues.find((each) => each.name === name)?.partitions.find((each) => String(each.number) === number);
    if (!answer) return;
    replace(
      h(
        'div',
        { class: 'page' },
        h('nav', { class: 'crumbs' }, h('a', { href: '#/queues' }, 'Queues'), h('a', { href: `#/queues/${encodeURIComponent(name)}` }, name)),
        h('h1', {}, `Partition ${number} `, found && badge(found.state)),
        found && h('p', { class: 'lead' }, why(found)),
        panel(
          'Messages that wait',
          { note: found ? `${count(found.lag)} waiting${found.parked ? `, ${count(found.parked)} parked` : ''}` : '' },
          answer.messages.length === 0
            ? empty(route.query.get('after') ? 'No further messages' : 'Nothing waits', 'Messages that have no number yet, that are delayed or that are parked are not shown.')
            : table(
                [
                  { head: 'Number', cell: (message) => h('b', {}, count(message.seq)) },
                  { head: 'Type', cell: (message) => message.type },
                  ...(features.payloads ? [{ head: 'Key', cell: (message) => message.key ?? '' }] : []),
                  { head: 'Tries', class: 'num', cell: (message) => count(message.attempts) },
                  { head: 'Bytes', class: 'num wide', cell: (message) => count(message.bytes) },
                  ...(features.payloads ? [{ head: 'What it carries', class: 'why', cell: content }] : []),
                  { head: 'Enqueued', class: 'num', cell: (message) => time(message.createdAt) },
                ],
                answer.messages,
                { caption: `Messages that wait in partition ${number} of ${name}`, key: (message) => message.seq },
              ),
          !features.payloads && h('p', { class: 'muted' }, 'Keys, headers and payloads are hidden: ConsoleOptions.payloads(redactor) shows them.'),
          h('footer', {}, h('span', { class: 'muted' }, `${count(answer.messages.length)} shown`), answer.next && button('Further ones', () => go(`${route.path}?after=${answer.next}`))),
        ),
      ),
    );
  }

  function content(message) {
    const headers = Object.entries(message.headers ?? {});
    return h('details', { class: 'code' }, h('summary', {}, headers.length ? 'payload and headers' : 'payload'), h('pre', { tabindex: '0' }, pretty(message.payload ?? '')), headers.length > 0 && facts(headers));
  }

  return { load, poll: load, sample: render };
}
