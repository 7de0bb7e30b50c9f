/** The table of kinds in docs/interpreter.md is that of the built-in interpreters. */
import t from 'tap';
import { gvkOf } from '../../apimachinery/meta/gvk.js';
import type { Operation } from '../../controllers/interpreter/interface.js';
import { nativeInterpreter, interpretedKinds } from '../../controllers/interpreter/native/native.js';
import { thirdPartyInterpreter, thirdPartyKinds } from '../../controllers/interpreter/third-party/third-party.js';
import { tieredInterpreter } from '../../controllers/interpreter/tiers.js';
import { quoted, read, tableRows } from './documents.js';

const interpreter = tieredInterpreter([thirdPartyInterpreter, nativeInterpreter]);

/** In the order of the columns. */
const operations: readonly Operation[] = [
  'InterpretReplica',
  'InterpretComponent',
  'ReviseReplica',
  'Retain',
  'AggregateStatus',
  'InterpretHealth',
  'InterpretDependency',
];

/** Returns the row of a kind such as `apps/v1/Deployment`. */
function rowOf(name: string): string {
  const slash = name.lastIndexOf('/');
  const gvk = gvkOf({ apiVersion: name.slice(0, slash), kind: name.slice(slash + 1) });
  const cells = operations.map(operation => (interpreter.has(gvk, operation) ? 'yes' : ''));
  return [`\`${name}\``, ...cells].join(' | ');
}

t.test('docs/interpreter.md lists the built-in kinds', async t => {
  const [, section = ''] = read('docs/interpreter.md').split('\n## Built-in kinds\n');
  const rows = tableRows(section).filter(([kind = '']) => quoted(kind)[0]?.includes('/'));
  const kinds = [...interpretedKinds, ...Object.keys(thirdPartyKinds)];
  t.strictSame(rows.map(cells => cells.join(' | ')).sort(), kinds.map(rowOf).sort());
});
