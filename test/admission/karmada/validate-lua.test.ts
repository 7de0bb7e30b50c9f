import t from 'tap';
import { luaValidator } from '../../../admission/karmada/validate-lua.js';
import { OffloadError } from '../../../lib/offload/error.js';
import type { Offload } from '../../../lib/offload/interface.js';
import { ThreadPool, type ThreadPoolOptions } from '../../../lib/offload/thread-pool.js';

const options: ThreadPoolOptions = {
  entry: new URL(import.meta.resolve('#dist/server/offload-worker.js')),
  ...{ threads: 1, memory: 384, idle: 10_000, limit: 60_000 },
  queue: { length: 64, lengthPerKey: 16, bytes: 64 * 1024 * 1024 },
};

t.test('scripts are compiled in another thread', async t => {
  const pool = new ThreadPool(options);
  t.teardown(() => pool.close());
  const validate = luaValidator(pool, 'jane');
  t.equal(await validate('return 1'), undefined);
  t.equal(await validate('x = = 1'), "<string> line:1(column:5) near '=':   syntax error\n");
});

/** An offload whose tasks never end by themselves. */
const endless: Offload = {
  run: (_task, _input, { limit = Infinity, signal } = {}) =>
    new Promise((_, reject) => {
      signal?.addEventListener('abort', () => reject(signal.reason as Error));
      if (limit <= 2_000) reject(new OffloadError('late', 'the task took too long'));
    }),
};

t.test('a script that takes long is refused before other users have waited for long', async t => {
  await t.rejects(luaValidator(endless, 'jane')('return 1'), {
    code: 413,
    message: 'the script takes too long to compile',
  });
});

t.test('a script whose request has ended is not compiled', async t => {
  const pool = new ThreadPool(options);
  t.teardown(() => pool.close());
  const ended = new AbortController();
  const outcome = luaValidator(pool, 'jane', ended.signal)('x = 1 '.repeat(100_000));
  ended.abort(new Error('the client has gone'));
  await t.rejects(outcome, { message: 'the client has gone' });
});

t.test('while too much work waits, the user is asked to try again', async t => {
  const queue = { ...options.queue, length: 1, lengthPerKey: 1 };
  const pool = new ThreadPool({ ...options, queue });
  t.teardown(() => pool.close());
  const validate = luaValidator(pool, 'jane');
  const outcomes = await Promise.allSettled(Array.from({ length: 4 }, () => validate('return 1')));
  const refused = outcomes.filter(({ status }) => status === 'rejected');
  t.ok(refused.length > 0);
  for (const outcome of refused) t.match(outcome, { reason: { code: 429 } });
});
