import t from 'tap';
import { createKeyedRunner } from '../../../registry/dynamic/keyed-runner.js';

/** Work that is done when the test says so, and what was begun. */
function steppedWork() {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  return {
    begun,
    work: (name: string) => {
      begun.push(name);
      return new Promise<void>(resolve => ends.set(name, resolve));
    },
    async end(name: string): Promise<void> {
      ends.get(name)?.();
      await new Promise(resolve => setImmediate(resolve));
    },
  };
}

t.test('once at a time for each name, and once more for whatever was asked meanwhile', async t => {
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

t.test('what fails is told and tried again', async t => {
  let tries = 0;
  const failures: string[] = [];
  await new Promise<void>(done => {
    const work = async (): Promise<void> => {
      if (++tries === 1) throw new Error('not yet');
      done();
    };
    const onError = (_: unknown, name: string): unknown => failures.push(name);
    const { run } = createKeyedRunner(work, { onError, retryMs: 1, signal: new AbortController().signal });
    const alive = setInterval(() => undefined, 1000); // a retry keeps no process alive
    t.teardown(() => clearInterval(alive));
    run('a');
  });
  t.same(failures, ['a']);
  t.equal(tries, 2);
});

t.test('nothing begins after the signal; what is under way is waited for', async t => {
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
