import t from 'tap';
import { keyedMutex } from '../../../../registry/pipeline/stored/keyed-mutex.js';

t.test('work with the same key runs one after the other', async t => {
  const queue = keyedMutex();
  const order: string[] = [];
  const run = (key: string, name: string, fails = false) =>
    queue.run(key, async () => {
      order.push(`${name} begins`);
      await Promise.resolve();
      order.push(`${name} ends`);
      if (fails) throw new Error(name);
      return name;
    });
  const first = run('a', '1', true);
  const all = await Promise.allSettled([first, run('a', '2'), run('b', '3')]);
  t.same(
    all.map(({ status }) => status),
    ['rejected', 'fulfilled', 'fulfilled'],
  );
  t.same(order, ['1 begins', '3 begins', '1 ends', '3 ends', '2 begins', '2 ends']);
});
