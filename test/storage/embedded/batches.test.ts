import t, { type Test } from 'tap';
import { openEmbedded } from '../../../storage/embedded/open-embedded.js';
import type { Backend } from '../../../storage/interface.js';
import { temporaryFolder } from '../folder.js';

async function open(t: Test): Promise<{ readonly store: Backend; readonly batches: readonly number[] }> {
  const store = await openEmbedded({ directory: await temporaryFolder(t) });
  t.teardown(() => store.close());
  const seen: number[] = [];
  store.announce?.(revision => seen.push(revision));
  seen.length = 0; // The listener was called at once.
  return { store, batches: seen };
}

const value = Buffer.from('value');
const put = (store: Backend, key: string): Promise<unknown> => store.put(key, 'absent', value);

t.test('all writes of one turn of the event loop are one batch, also those that follow from promises', async t => {
  const { store, batches } = await open(t);
  const first = put(store, '/a');
  await new Promise<void>(resolve => process.nextTick(resolve));
  const second = put(store, '/b');
  for (let i = 0; i < 20; i++) await Promise.resolve();
  await Promise.all([first, second, put(store, '/c')]);
  t.equal(batches.length, 1);
  t.equal(batches[0], await store.revision());
});

t.test('writes that arrive while a batch is written follow it: few of them together, many at once', async t => {
  for (const count of [1, 5, 40]) {
    const { store, batches } = await open(t);
    const first = put(store, '/first');
    // The immediate of the batch was requested before this one.
    await new Promise(resolve => setImmediate(resolve));
    const others = Array.from({ length: count }, (_, i) => put(store, `/k/${i}`));
    // It comes in the turn in which the first batch is done: few others wait for it, and many do not.
    const late = first.then(async () => {
      for (let i = 0; i < 20; i++) await Promise.resolve();
      await put(store, '/late');
    });
    await Promise.all([first, ...others, late]);
    t.equal(batches.length, count < 16 ? 2 : 3, `${count} writes`);
    t.equal((await store.range('/')).items.length, count + 2);
  }
});

t.test(
  'writes that may wait are a batch with those that come meanwhile, and with the next one that may not',
  async t => {
    const { store, batches } = await open(t);
    const wait = (key: string, maxDelayMs: number): Promise<unknown> => store.put(key, 'absent', value, { maxDelayMs });
    const began = performance.now();
    const renewals = [wait('/a', 50)];
    await new Promise(resolve => setImmediate(resolve));
    renewals.push(wait('/b', 50));
    await Promise.all(renewals);
    t.ok(performance.now() - began > 45, 'they have waited');
    t.equal(batches.length, 1);
    const patient = wait('/c', 600_000);
    await new Promise(resolve => setImmediate(resolve));
    await Promise.all([put(store, '/d'), patient]);
    t.equal(batches.length, 2);
    const last = wait('/e', 600_000);
    await store.close();
    await last;
    t.equal(batches.length, 3, 'a store that is closed writes what waits');
  },
);
