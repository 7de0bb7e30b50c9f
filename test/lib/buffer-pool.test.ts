import t from 'tap';
import { BufferPool } from '../../lib/buffer-pool.js';
import { until } from '../storage/until.js';

t.test('a released buffer is used again', t => {
  let made = 0;
  const pool = new BufferPool(() => ({ number: ++made }), { max: 2 });
  const all = [pool.take(), pool.take(), pool.take()];
  for (const one of all) pool.release(one);
  t.equal(pool.size, 2, 'no more than the maximum is kept');
  t.ok(all.includes(pool.take()));
  t.ok(all.includes(pool.take()));
  t.equal(made, 3);
  t.notOk(all.includes(pool.take()));
  t.equal(made, 4);
  t.end();
});

t.test('unused buffers are released, used ones stay', async () => {
  const pool = new BufferPool(() => ({}), { max: 32, intervalMs: 5 });
  const all = Array.from({ length: 10 }, () => pool.take());
  for (const one of all) pool.release(one);
  await until('only the two that are used are kept', () => {
    const two = [pool.take(), pool.take()];
    for (const one of two) pool.release(one);
    return pool.size === 2;
  });
  await until('none is kept', () => pool.size === 0);
  pool.release({});
  await until('a later one is let go, too', () => pool.size === 0);
});
