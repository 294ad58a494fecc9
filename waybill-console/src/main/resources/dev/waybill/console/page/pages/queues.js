import { seg } from '../lib/api.js';
import { h } from '../lib/dom.js';
import { count, duration, time } from '../lib/format.js';
import { badge, button, empty, panel, table } from '../lib/parts.js';
import { summary } from './overview.js';

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
          h('p', { class: 'lead' }, `${count(found.lag)} waiting, oldest ${duration(found.waiting)}, ${count(found.rates.in)}/s in, ${count(found.rates.out)}/s out. `, h('a', { href: `#/dead-letters?queue=${encodeURIComponent(name)}` }, 'Its dead letters')),
          panel(
            'Partitions',
            { tools: may ? [allPaused ? button('Resume all', () => resume()) : button('Pause all', () => pause())] : [] },
            table(
              [
                { head: '#', class: 'num', cell: (partition) => partition.number },
                { head: 'State', cell: (partition) => badge(partition.state) },
                { head: 'Why', class: 'why', cell: (partition) => [partition.why, partition.until && [partition.state === 'retrying' ? ' Next try ' : ', whose lease ends ', time(partition.until)]] },
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
