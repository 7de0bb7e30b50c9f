import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import t, { type Test } from 'tap';
import { openOffload } from '../../../server/offload.js';
import type { OffloadFailure } from '../../../lib/offload/error.js';
import { timesFile } from '../../../lib/offload/serve-tasks.js';
import { ThreadPool, type ThreadPoolOptions } from '../../../lib/offload/thread-pool.js';
import { until } from '../../storage/until.js';

const entry = new URL('./tasks.js', import.meta.url);

/** Timeout in milliseconds that is enough for every task on a loaded machine. */
const ampleMs = 60_000;

function poolOf(t: Test, options: Partial<ThreadPoolOptions> = {}): ThreadPool {
  const queue = { length: 8, lengthPerKey: 4, bytes: 1000 };
  const pool = new ThreadPool({ entry, threads: 1, memory: 32, idle: ampleMs, limit: ampleMs, queue, ...options });
  t.teardown(() => pool.close());
  return pool;
}

const bytes = (text: string): Buffer => Buffer.from(text);
const textOf = (output: Uint8Array): string => Buffer.from(output).toString();
const failsWith = (reason: OffloadFailure, message?: RegExp) => ({
  ...{ name: 'OffloadError', reason },
  ...(message && { message }),
});

t.test('a task returns its result, and the caller keeps its bytes', async t => {
  const pool = poolOf(t);
  t.equal(pool.size, 0, 'no thread before the first task');
  const whole = new Uint8Array(Buffer.from('whole'));
  const outputs = await Promise.all([
    pool.run('reverse', bytes('part of a larger buffer')),
    pool.run('reverse', whole),
    pool.run('slice', bytes('slice')),
    pool.run('reverse', bytes('')),
  ]);
  t.same(outputs.map(textOf), ['reffub regral a fo trap', 'elohw', 'li', '']);
  t.equal(textOf(whole), 'whole');
  t.equal(pool.size, 1);
});

t.test('a deferred input is made when a thread is free, and moved to it', async t => {
  const pool = poolOf(t);
  const stop = new AbortController();
  const held = pool.run('wait', bytes(''), { signal: stop.signal });
  const made: Uint8Array[] = [];
  const make = async (): Promise<Uint8Array> => {
    const input = new Uint8Array(bytes('ab'));
    made.push(input);
    return input;
  };
  const deferred = pool.run('reverse', { byteLength: 2, make });
  const part = pool.run('reverse', { byteLength: 2, make: async () => bytes('xcd').subarray(1) });
  t.equal(pool.waiting, 2);
  t.equal(made.length, 0, 'not while it waits');
  stop.abort();
  await t.rejects(held);
  t.equal(textOf(await deferred), 'ba');
  t.same(
    made.map(({ byteLength }) => byteLength),
    [0],
    'its buffer was transferred',
  );
  t.equal(textOf(await part), 'dc', 'a part of a buffer is copied');
  await t.rejects(pool.run('reverse', { byteLength: 1001, make }), failsWith('memory'));
  t.equal(made.length, 1, 'an input that is too large is not made');
});

t.test('a deferred input that cannot be made rejects its task, and the thread goes on', async t => {
  const pool = poolOf(t);
  const make = (): Promise<Uint8Array> => Promise.reject(new Error('no input'));
  const failed = pool.run('reverse', { byteLength: 1, make });
  const next = pool.run('reverse', bytes('ab'));
  await t.rejects(failed, { message: 'no input' });
  t.equal(textOf(await next), 'ba');
  t.equal(pool.size, 1);
});

t.test('a task that is aborted while its input is made does not run', async t => {
  const pool = poolOf(t);
  const inputs = { made: () => Promise.resolve(bytes('ab')), failed: () => Promise.reject(new Error('no input')) };
  for (const [name, input] of Object.entries(inputs)) {
    const stop = new AbortController();
    let settle = (): void => undefined;
    const ended = new Promise<void>(resolve => (settle = resolve));
    const make = (): Promise<Uint8Array> => ended.then(input);
    const aborted = pool.run('reverse', { byteLength: 2, make }, { signal: stop.signal });
    stop.abort(new Error('enough'));
    await t.rejects(aborted, { message: 'enough' });
    const next = pool.run('reverse', bytes('cd'));
    settle();
    t.equal(textOf(await next), 'dc', name);
  }
});

t.test('a task that throws and an unknown task reject, and the thread goes on', async t => {
  const pool = poolOf(t);
  await t.rejects(pool.run('fail', bytes('')), failsWith('failed', /the task fail failed: this cannot be done/));
  await t.rejects(pool.run('nothing', bytes('')), failsWith('failed', /there is no task nothing/));
  await t.rejects(pool.run('toString', bytes('')), failsWith('failed', /there is no task toString/));
  t.equal(textOf(await pool.run('reverse', bytes('ab'))), 'ba');
});

t.test('a task that takes too long ends with its thread, and the next one gets another thread', async t => {
  const pool = poolOf(t);
  const late = pool.run('spin', bytes(''), { limit: 20 });
  const next = pool.run('reverse', bytes('ab'));
  await t.rejects(late, failsWith('late', /the task spin took longer than 20 ms/));
  t.equal(textOf(await next), 'ba');
  t.equal(pool.size, 1);
});

t.test('the start of a thread does not count as time of its first task', async t => {
  const pool = poolOf(t, { entry: new URL('./slow-start.js', import.meta.url) });
  // The start takes a second longer than that.
  t.equal(textOf(await pool.run('reverse', bytes('ab'), { limit: 500 })), 'ba');
});

t.test('times that the system does not keep are not used', t => {
  const proc = t.testdir({ 'thread-self': t.fixture('symlink', '7/task/8'), 7: { task: { 8: {} } } });
  const self = path.join(proc, 'thread-self');
  const file = path.join(proc, '7/task/8/schedstat');
  t.equal(timesFile(self), undefined, 'no file');
  for (const [text, want] of [
    ['0 0 0\n', undefined],
    ['', undefined],
    ['6214767 6640993 4\n', file],
  ] as const) {
    fs.writeFileSync(file, text);
    t.equal(timesFile(self), want, text);
  }
  t.end();
});

const knowsTimes = timesFile() === undefined ? { skip: 'the system does not report the time of a thread' } : {};

t.test('the time in which a thread waits for a CPU counts for a tenth', knowsTimes, async t => {
  const pool = poolOf(t);
  t.equal(textOf(await pool.run('idle', bytes('ab'), { limit: 900 })), 'ab');
  await t.rejects(pool.run('wait', bytes(''), { limit: 20 }), failsWith('late', /took longer than 20 ms/));
});

t.test('a task that needs too much memory does not end the process', async t => {
  const pool = poolOf(t);
  await t.rejects(pool.run('devour', bytes('')), failsWith('memory'));
  t.equal(textOf(await pool.run('reverse', bytes('ab'))), 'ba');
});

t.test('a thread that exits rejects its task', async t => {
  const pool = poolOf(t);
  await t.rejects(pool.run('exit', bytes('')), failsWith('failed', /ended with code 3/));
  t.equal(textOf(await pool.run('reverse', bytes('ab'))), 'ba');
});

t.test('a thread that cannot start rejects its task', async t => {
  const pool = poolOf(t, { entry: new URL('./missing.js', import.meta.url) });
  await t.rejects(pool.run('reverse', bytes('ab')), failsWith('failed'));
  await until('the thread is gone', () => pool.size === 0);
});

t.test('a key cannot keep others out of the queue', async t => {
  for (const queue of [
    { length: 3, lengthPerKey: 3, bytes: 1_000 },
    { length: 9, lengthPerKey: 9, bytes: 3 },
  ]) {
    const pool = poolOf(t, { queue });
    const blocker = new AbortController();
    const blocking = pool.run('wait', bytes(''), { key: 'blocker', signal: blocker.signal });
    const many = ['a', 'b', 'c', 'd'].map(text => pool.run('reverse', bytes(text), { key: 'many' }));
    const ended = Promise.allSettled(many);
    const other = pool.run('reverse', bytes('o'), { key: 'other' });
    blocker.abort(new Error('enough'));
    await t.rejects(blocking, { message: 'enough' });
    t.equal(textOf(await other), 'o');
    const full = { status: 'rejected', reason: failsWith('full') };
    t.match(await ended, [{ status: 'fulfilled' }, { status: 'fulfilled' }, full, full], 'the newest are refused');
  }
});

t.test('an aborted task rejects, waiting or running', async t => {
  const pool = poolOf(t);
  await t.rejects(pool.run('reverse', bytes('ab'), { signal: AbortSignal.abort(new Error('before')) }), {
    message: 'before',
  });
  const [running, waiting] = [new AbortController(), new AbortController()];
  const first = pool.run('wait', bytes(''), { signal: running.signal });
  const second = pool.run('reverse', bytes('ab'), { signal: waiting.signal });
  const third = pool.run('reverse', bytes('cd'));
  waiting.abort(new Error('while it waited'));
  await t.rejects(second, { message: 'while it waited' });
  t.equal(pool.waiting, 1);
  running.abort(new Error('while it ran'));
  await t.rejects(first, { message: 'while it ran' });
  t.equal(textOf(await third), 'dc', 'the thread is free for others');
  running.abort(new Error('later'));
});

t.test('the queue is bounded in total, per key, and in bytes', async t => {
  const pool = poolOf(t);
  const stop = new AbortController();
  const held = pool.run('wait', bytes(''), { signal: stop.signal });
  const ask = (key: string, size = 1): Promise<Uint8Array> => pool.run('reverse', Buffer.alloc(size), { key });
  await t.rejects(ask('large', 1001), failsWith('memory', /the input of the task reverse is too large/));
  const accepted = Array.from({ length: 4 }, () => ask('a'));
  await t.rejects(ask('a'), failsWith('full'), 'too many tasks of one key');
  accepted.push(...['b', 'b', 'b', 'c'].map(key => ask(key)));
  await t.rejects(ask('b'), failsWith('full', /too many tasks are waiting/), 'too many tasks in total');
  t.equal(pool.waiting, 8);
  stop.abort();
  await t.rejects(held, { name: 'AbortError' });
  t.equal((await Promise.all(accepted)).length, 8);
  t.equal(pool.waiting, 0);
  t.equal((await ask('large', 1000)).length, 1000, 'places and bytes are released');
});

t.test('keys take turns', async t => {
  const pool = poolOf(t);
  const stop = new AbortController();
  const held = pool.run('wait', bytes(''), { signal: stop.signal });
  const done: string[] = [];
  const all = ['a1', 'a2', 'a3', 'b1', 'b2', 'c1'].map(async name => {
    await pool.run('reverse', bytes(name), { key: name.slice(0, 1) });
    done.push(name);
  });
  stop.abort();
  await held.catch(() => undefined);
  await Promise.all(all);
  t.same(done, ['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
});

t.test('the number of threads is limited, and idle threads end', async t => {
  const pool = poolOf(t, { threads: 2, idle: 1 });
  const stop = new AbortController();
  const held = Array.from({ length: 4 }, () => pool.run('wait', bytes(''), { signal: stop.signal, key: 'k' }));
  t.equal(pool.size, 2);
  t.equal(pool.waiting, 2);
  stop.abort();
  await Promise.allSettled(held);
  await pool.run('reverse', bytes('ab'));
  await until('idle threads have ended', () => pool.size === 0);
  t.equal(textOf(await pool.run('reverse', bytes('ab'))), 'ba', 'a thread is started again');
});

t.test('closing rejects running and waiting tasks', async t => {
  const pool = poolOf(t);
  const all = [pool.run('wait', bytes('')), pool.run('reverse', bytes('ab'))];
  const settled = Promise.allSettled(all);
  await pool.close();
  t.match(await settled, [{ reason: failsWith('closed') }, { reason: failsWith('closed') }]);
  t.equal(pool.size, 0);
  await t.rejects(pool.run('reverse', bytes('ab')), failsWith('closed'));
});

t.test('a process with idle threads ends by itself', async t => {
  const script = `
    const { ThreadPool } = await import('${new URL('../../../lib/offload/thread-pool.js', import.meta.url).href}');
    const queue = { length: 8, lengthPerKey: 4, bytes: 1000 };
    const pool = new ThreadPool({ entry: new URL('${entry.href}'), threads: 1, memory: 32, idle: 1e9, limit: 1e9, queue });
    process.stdout.write(await pool.run('reverse', Buffer.from('dne')));`;
  const { stdout, status } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { timeout: ampleMs });
  t.same([stdout.toString(), status], ['end', 0]);
});

t.test('the pool of a server runs its tasks', async t => {
  const pool = openOffload();
  t.teardown(() => pool.close());
  await t.rejects(pool.run('nothing', bytes('')), failsWith('failed', /there is no task nothing/));
});
