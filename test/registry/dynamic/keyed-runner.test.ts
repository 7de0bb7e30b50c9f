import t from 'tap';
import { createKeyedRunner } from '../../../registry/dynamic/keyed-runner.js';

/** Returns work that ends on command, with a record of the started runs. */
function steppedWork() {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  return {
    begun,
    work: (name: string) => {
      begun.push(name);
      return new Promise<void>(resolve => ends.set(name, resolve));
    },
    end: async (name: string): Promise<void> => {
      ends.get(name)?.();
      await new Promise(resolve => setImmediate(resolve));
    },
  };
}

t.test('work runs once at a time per name, and once more for requests meanwhile', async t => {
  const { work, begun, end } = steppedWork();
  const { run } = createKeyedRunner(work, {
    onError: error => t.fail(String(error)),
    signal: new AbortController().signal,
  });
  for (const name of ['a', 'a', 'b', 'a']) run(name);
  t.same(begun, ['a', 'b']);
  await end('a');
  t.same(begun, ['a', 'b', 'a']);
  await end('a');
  await end('b');
  t.same(begun, ['a', 'b', 'a']);
  run('a');
  t.same(begun, ['a', 'b', 'a', 'a']);
});

t.test('a failure is reported and retried', async t => {
  let tries = 0;
  const failures: string[] = [];
  await new Promise<void>(done => {
    const work = async (): Promise<void> => {
      if (++tries === 1) throw new Error('not yet');
      done();
    };
    const onError = (_: unknown, name: string): unknown => failures.push(name);
    const { run } = createKeyedRunner(work, { onError, retryMs: 1, signal: new AbortController().signal });
    const alive = setInterval(() => undefined, 1000); // a pending retry does not keep the process alive
    t.teardown(() => clearInterval(alive));
    run('a');
  });
  t.same(failures, ['a']);
  t.equal(tries, 2);
});

t.test('after the signal no work starts, and running work is awaited', async t => {
  const stopping = new AbortController();
  const { work, begun, end } = steppedWork();
  const { run, idle } = createKeyedRunner(work, { onError: error => t.fail(String(error)), signal: stopping.signal });
  run('a');
  run('a');
  stopping.abort();
  run('b');
  let isIdle = false;
  const waited = idle().then(() => (isIdle = true));
  await new Promise(resolve => setImmediate(resolve));
  t.equal(isIdle, false);
  await end('a');
  await waited;
  t.same(begun, ['a']);
});
