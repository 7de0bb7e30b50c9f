/** The memory of the scheduler grows in proportion to bindings and clusters. It does not depend on the load of the machine. */
import t from 'tap';
import { schedulingMemory, schedulingMemoryTable } from '../../bench/scheduling-memory/scheduling-memory.js';

/** Compiled code, and what V8 allocates in advance for tables that have just grown, differ from process to process. */
const slack = 1.25;

const rows: readonly { readonly name: string; readonly sizes: readonly [bindings: number, clusters: number][] }[] = [
  {
    name: 'bindings',
    sizes: [
      [1000, 50],
      [4000, 50],
    ],
  },
  {
    name: 'clusters',
    sizes: [
      [250, 200],
      [250, 800],
    ],
  },
];

for (const { name, sizes } of rows)
  t.test(`four times as many ${name} take at most four times as much memory`, async t => {
    const measured = [];
    for (const [bindings, clusters] of sizes) measured.push(await schedulingMemory(bindings, clusters));
    t.comment(`\n${schedulingMemoryTable(measured)}`);
    const [few, many] = measured;
    if (!few || !many) throw new Error('nothing is measured');
    t.ok(few.keptBytes > 500_000 && few.targets > 1000, 'something is kept and placed');
    t.ok(many.keptBytes < 4 * slack * few.keptBytes, `${few.keptBytes} bytes became ${many.keptBytes}`);
    for (const { targetBytes, targets } of measured)
      t.ok(targetBytes < 120 * targets, `${targetBytes} bytes for ${targets} targets`);
  });
