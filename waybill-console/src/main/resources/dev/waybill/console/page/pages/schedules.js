import { seg } from '../lib/api.js';
import { h } from '../lib/dom.js';
import { clock, duration, short, time, words } from '../lib/format.js';
import { badge, button, empty, panel, table } from '../lib/parts.js';

export function schedules({ route, replace, get, go, act, may, failed }) {
  let all = [];
  let open;

  async function load() {
    try {
      const name = route.query.get('name');
      all = (await get('schedules')).schedules;
      open = name ? await get(`schedules/${seg(name)}`) : undefined;
      render();
    } catch (error) {
      failed(error);
    }
  }

  const change = (name, verb, done) => act(`schedules/${seg(name)}/${verb}`, {}, done);

  function render() {
    replace(
      h(
        'div',
        { class: 'page' },
        h('h1', {}, 'Schedules'),
        panel(
          null,
          {},
          all.length === 0
            ? empty('No schedules', 'Jobs that come back are made with jobs.schedules().put(Schedule.of("nightly", "report", "0 3 * * *")).')
            : table(
                [
                  { head: 'Schedule', cell: (each) => h('a', { class: 'row', href: `#/schedules?name=${encodeURIComponent(each.name)}` }, each.name) },
                  { head: 'State', cell: (each) => (each.failures > 0 ? badge('FAILED', `failing, ${each.failures} times`) : each.active ? badge('active') : badge('paused')) },
                  { head: 'Rule', cell: (each) => [h('code', {}, each.rule), ' ', h('span', { class: 'muted wide' }, each.zone === 'Z' ? 'UTC' : each.zone)] },
                  { head: 'Job type', class: 'wide', cell: (each) => h('a', { href: `#/jobs?type=${encodeURIComponent(each.type)}` }, each.type) },
                  { head: 'Next', class: 'num', cell: (each) => time(each.nextFireAt) },
                  { head: 'Last', class: 'num wide', cell: (each) => time(each.lastFiredAt) },
                  ...(may
                    ? [
                        {
                          head: '',
                          class: 'act',
                          cell: (each) => [
                            button('Run now', () => change(each.name, 'trigger', `Enqueued a job for ${each.name}.`), { class: 'small' }),
                            each.active ? button('Pause', () => change(each.name, 'pause', `Paused ${each.name}.`), { class: 'small' }) : button('Resume', () => change(each.name, 'resume', `Resumed ${each.name}.`), { class: 'small' }),
                          ],
                        },
                      ]
                    : []),
                ],
                all,
                { caption: 'Schedules', key: (each) => each.name },
              ),
        ),
        open && detail(open, go),
      ),
    );
  }

  return { load, poll: load };
}

function detail(open, go) {
  return panel(
    open.name,
    { note: `${words(open.misfire)} when missed, overlap: ${words(open.overlap)}${open.jitter ? `, up to ${duration(open.jitter)} later` : ''}`, tools: [button('Close', () => go('/schedules'), { class: 'quiet' })] },
    open.lastError && h('p', { class: 'error' }, open.lastError),
    h(
      'div',
      { class: 'columns' },
      h('div', {}, h('h3', {}, 'Next times'), open.next.length === 0 ? empty('None', 'It is paused.') : h('ol', { class: 'times' }, open.next.map((at) => h('li', {}, clock(at), ' ', h('span', { class: 'muted' }, time(at)))))),
      h(
        'div',
        {},
        h('h3', {}, 'What became of the latest'),
        open.fires.length === 0
          ? empty('None yet', 'Its first time has not come.')
          : table(
              [
                { head: 'Time', cell: (fire) => clock(fire.scheduledFor) },
                { head: 'Outcome', cell: (fire) => badge(fire.outcome === 'ENQUEUED' ? 'ENQUEUED_FIRE' : fire.outcome, words(fire.outcome)) },
                { head: 'Job', cell: (fire) => (fire.job ? h('a', { class: 'mono', href: `#/jobs/${fire.job}` }, short(fire.job)) : '') },
              ],
              open.fires,
            ),
      ),
    ),
  );
}
