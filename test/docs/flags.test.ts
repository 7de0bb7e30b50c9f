/** The table of flags in the README is the one of the program. */
import t from 'tap';
import { upHelp } from '../../cli/up/up-settings.js';
import { quoted, read, tableRows } from './documents.js';

t.test('the README lists the flags of up', async t => {
  const program = [...upHelp().matchAll(/--([a-z-]+)(?: (\S+))?  /g)].map(([, name, value]) =>
    value === undefined ? `--${name}` : `--${name} ${value}`,
  );
  const table = tableRows(read('README.md')).flatMap(([first = '']) => quoted(first).filter(q => q.startsWith('--')));
  t.ok(program.length > 5);
  t.same(table, program);
});
