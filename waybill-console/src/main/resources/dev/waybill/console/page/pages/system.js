import { h } from '../lib/dom.js';
import { clock, count, duration } from '../lib/format.js';
import { badge, empty, facts, panel, table } from '../lib/parts.js';

const DATABASES = { POSTGRESQL: 'PostgreSQL', MYSQL: 'MySQL', MARIADB: 'MariaDB', SQLITE: 'SQLite' };

export function system({ replace, get, failed }) {
  async function load() {
    try {
      const [health, schema] = await Promise.all([get('health'), get('schema')]);
      render(health, schema);
    } catch (error) {
      failed(error);
    }
  }

  function render(health, schema) {
    const failing = Object.entries(health.failing);
    const done = health.statistics;
    replace(
      h(
        'div',
        { class: 'page' },
        h('h1', {}, 'Schema & health'),
        panel(
          'Workers of this process',
          { tools: [health.healthy ? badge('fine', 'healthy') : badge('FAILED', `${failing.length} failing`)] },
          failing.length === 0 ? empty('All workers get on', 'The last run of each ended well. Other processes tell their own health.') : table([{ head: 'Worker', cell: ([name]) => name }, { head: 'Why its last run failed', class: 'why', cell: ([, why]) => why }], failing),
        ),
        panel(
          'What this process has done',
          { note: 'since it started' },
          facts([
            ['Enqueued', count(done.enqueued)],
            ['Numbered', count(done.sequenced)],
            ['Delivered', count(done.delivered)],
            ['Retried', count(done.retried)],
            ['Parked', count(done.parked)],
            ['Given up', count(done.rejected)],
            ['Leases lost', count(done.leasesLost)],
            ['Removed', count(done.vacuumed)],
          ]),
        ),
        panel(
          'Schema',
          { note: DATABASES[schema.database] ?? schema.database, tools: [schema.verdict === 'fine' ? badge('fine', 'may run here') : badge('FAILED', schema.verdict)] },
          schema.message && h('p', { class: 'error' }, schema.message),
          table(
            [
              { head: 'Version', cell: (migration) => migration.version },
              { head: 'Description', cell: (migration) => migration.description },
              { head: 'State', cell: (migration) => badge(migration.state) },
              { head: 'Applied', class: 'wide', cell: (migration) => (migration.appliedAt ? clock(migration.appliedAt) : '') },
              { head: 'Took', class: 'num wide', cell: (migration) => duration(migration.duration) },
              { head: 'By release', class: 'wide', cell: (migration) => migration.appliedBy ?? '' },
            ],
            schema.migrations,
            { caption: 'Migrations' },
          ),
        ),
      ),
    );
  }

  return { load };
}
