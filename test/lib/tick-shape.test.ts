import process from 'node:process';
import t from 'tap';
import { keepTickShape } from '../../lib/tick-shape.js';

t.test('a tick object is found on this version of Node, and ticks still run', async t => {
  t.equal(keepTickShape(), true);
  await new Promise<void>(resolve => process.nextTick(resolve));
});
