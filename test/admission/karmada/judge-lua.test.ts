import t from 'tap';
import { luaJudge } from '../../../admission/karmada/judge-lua.js';
import { ThreadPool, type ThreadPoolOptions } from '../../../lib/offload/thread-pool.js';

const options: ThreadPoolOptions = {
  entry: new URL(import.meta.resolve('#dist/server/offload-worker.js')),
  ...{ threads: 1, memory: 384, idle: 10_000, limit: 60_000 },
  queue: { length: 64, lengthPerKey: 16, bytes: 64 * 1024 * 1024 },
};

t.test('scripts are compiled in another thread', async t => {
  const pool = new ThreadPool(options);
  t.teardown(() => pool.close());
  const judge = luaJudge(pool, 'jane');
  t.equal(await judge('return 1'), undefined);
  t.equal(await judge('x = = 1'), "<string> line:1(column:5) near '=':   syntax error\n");
});

t.test('a script that takes too long is refused', async t => {
  const pool = new ThreadPool({ ...options, limit: 1 });
  t.teardown(() => pool.close());
  await t.rejects(luaJudge(pool, 'jane')('return 1'), { code: 413, message: 'the script takes too long to compile' });
});

t.test('while too much work waits, the user is asked to try again', async t => {
  const queue = { ...options.queue, length: 1, lengthPerKey: 1 };
  const pool = new ThreadPool({ ...options, queue });
  t.teardown(() => pool.close());
  const judge = luaJudge(pool, 'jane');
  const outcomes = await Promise.allSettled(Array.from({ length: 4 }, () => judge('return 1')));
  const refused = outcomes.filter(({ status }) => status === 'rejected');
  t.ok(refused.length > 0);
  for (const outcome of refused) t.match(outcome, { reason: { code: 429 } });
});
