import t from 'tap';
import { type Ready, readyKeys } from '../../scheduler/loop/ready-keys.js';

const entry = (key: string, priority: number): Ready => ({ key, priority });

t.test('the oldest key of the highest priority is taken first', async t => {
  const keys = readyKeys();
  for (const one of [entry('a', 0), entry('b', 5), entry('c', 5), entry('d', -1)]) keys.add(one);
  t.equal(keys.size, 4);
  t.same(keys.find('c'), entry('c', 5));
  keys.remove(entry('b', 5));
  t.equal(keys.find('b'), undefined);
  t.same(
    [keys.take(), keys.take(), keys.take(), keys.take()],
    [entry('c', 5), entry('a', 0), entry('d', -1), undefined],
  );
  t.equal(keys.size, 0);
  keys.add(entry('a', 5));
  t.same(keys.take(), entry('a', 5), 'a priority that had no key left');
});
