/** Tests of the contract of storage/interface.ts, which every Store must pass. */
import type { Test } from 'tap';
import { StorageError, type StorageErrorCode } from '../../storage/error.js';
import type { Change, Item, Outcome, Revision, Store } from '../../storage/interface.js';

interface Subject {
  readonly store: Store<Uint8Array>;
  /** Compacts the history of the store and of the stores around it. */
  readonly compact: (upTo: Revision) => Promise<void>;
  readonly maxValueBytes: number;
  /** Tests that do not apply to the store, with the reason. */
  readonly declines?: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

export const bytes = (text: string): Uint8Array => Buffer.from(text);
export const text = (value: Uint8Array | undefined): string | undefined =>
  value === undefined ? undefined : Buffer.from(value).toString();

export function written(outcome: Outcome<Uint8Array>): Item<Uint8Array> {
  if (outcome.type !== 'done') throw new Error('the write lost a race that nobody else runs');
  return outcome.item;
}

export async function errorCode(work: Promise<unknown>): Promise<StorageErrorCode | 'none'> {
  try {
    await work;
    return 'none';
  } catch (error) {
    if (error instanceof StorageError) return error.code;
    throw error;
  }
}

/** Returns the next changes of keys, at most `count`, without progress changes. */
export async function take(
  changes: AsyncIterable<Change<Uint8Array>>,
  count: number,
): Promise<Exclude<Change<Uint8Array>, { type: 'progress' }>[]> {
  const taken: Exclude<Change<Uint8Array>, { type: 'progress' }>[] = [];
  for await (const change of changes) {
    if (change.type === 'progress') continue;
    taken.push(change);
    if (taken.length === count) break;
  }
  return taken;
}

const short = (change: Change<Uint8Array>): string =>
  change.type === 'progress'
    ? 'progress'
    : change.type === 'put'
      ? `put ${change.item.key}=${text(change.item.value)} was ${text(change.previous?.value)}`
      : `remove ${change.key} was ${text(change.previous?.value)}`;

/** A test of the contract. `signal` aborts when the test ends. */
type Body = (t: Test, subject: Subject & { readonly signal: AbortSignal }, prefix: string) => Promise<void>;

const put = async (store: Store<Uint8Array>, key: string, value: string): Promise<Item<Uint8Array>> =>
  written(await store.put(key, 'absent', bytes(value)));

const promises: Readonly<Record<string, Body>> = {
  'get: an absent key has no item': async (t, { store }, p) => {
    t.equal(await store.get(`${p}a`), undefined);
  },
  'get: a written value is read back exactly and immediately': async (t, { store }, p) => {
    const all = Buffer.from(Array.from({ length: 256 }, (_, i) => i));
    const item = written(await store.put(`${p}a`, 'absent', all));
    const read = await store.get(`${p}a`);
    t.equal(read?.key, `${p}a`);
    t.equal(read?.revision, item.revision);
    t.equal(Buffer.compare(all, read?.value ?? bytes('')), 0);
  },
  'get: an empty value is a value': async (t, { store }, p) => {
    await put(store, `${p}a`, '');
    t.equal((await store.get(`${p}a`))?.value.byteLength, 0);
  },
  'get and range: a read at or after an existing revision': async (t, { store }, p) => {
    const item = await put(store, `${p}a`, '1');
    t.equal(text((await store.get(`${p}a`, { notBefore: item.revision }))?.value), '1');
    const page = await store.range(p, { notBefore: item.revision });
    t.equal(text(page.items[0]?.value), '1');
    t.ok(page.revision >= item.revision);
  },
  'get and range: a read from memory includes what was observed': async (t, { store, signal }, p) => {
    const from = await store.revision();
    await put(store, `${p}a`, '1');
    await take(store.watch(p, from, signal), 1);
    t.equal(text((await store.get(`${p}a`, { notBefore: 0 as Revision }))?.value), '1');
    t.equal((await store.range(p, { notBefore: 0 as Revision })).items.length, 1);
  },
  'get and range: a revision that does not arrive fails with future': async (t, { store }, p) => {
    const far = ((await store.revision()) + 1_000_000) as Revision;
    t.equal(await errorCode(store.get(`${p}a`, { notBefore: far })), 'future');
    t.equal(await errorCode(store.range(p, { notBefore: far })), 'future');
    t.equal(await errorCode(store.range(p, { at: far })), 'future');
  },
  'range: keys below the prefix in byte order': async (t, { store }, p) => {
    const keys = ['b', 'a/2', 'a', 'a/10', 'a0', 'é', '\u{ff5e}', '\u{1f6a2}', 'Z'];
    for (const key of keys) await put(store, `${p}x/${key}`, key);
    await put(store, `${p}x`, 'the prefix without its slash');
    await put(store, `${p}x0`, 'behind the prefix');
    const page = await store.range(`${p}x/`);
    t.same(
      page.items.map(item => text(item.value)),
      [...keys].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))),
    );
    t.equal(page.remaining, 0);
    t.equal(page.revision, await store.revision());
  },
  'range: an empty range has a revision': async (t, { store }, p) => {
    const page = await store.range(p);
    t.same(page.items, []);
    t.ok(page.revision > 0);
  },
  'range: start, limit and remaining count': async (t, { store }, p) => {
    for (const key of ['a', 'b', 'c', 'd', 'e']) await put(store, p + key, key);
    const names = async (options: object): Promise<unknown> => {
      const page = await store.range(p, options);
      return [page.items.map(item => text(item.value)).join(''), page.remaining];
    };
    t.same(await names({ limit: 2 }), ['ab', 3]);
    t.same(await names({ limit: 2, start: `${p}c` }), ['cd', 1]);
    t.same(await names({ limit: 2, start: `${p}c\0` }), ['de', 0]);
    t.same(await names({ start: `${p}d` }), ['de', 0]);
    t.same(await names({ limit: 0 }), ['abcde', 0]);
    t.same(await names({ start: `${p}z` }), ['', 0]);
  },
  'range: pages at one revision do not see later writes': async (t, { store }, p) => {
    const items: Item<Uint8Array>[] = [];
    for (const key of ['a', 'b', 'c']) items.push(await put(store, p + key, key));
    const first = await store.range(p, { limit: 1 });
    await store.put(`${p}b`, items[1]?.revision ?? 'absent', bytes('changed'));
    await store.remove(`${p}c`, items[2]?.revision ?? (0 as Revision));
    await put(store, `${p}d`, 'd');
    const rest = await store.range(p, { at: first.revision, start: `${p}a\0` });
    t.same(
      rest.items.map(item => text(item.value)),
      ['b', 'c'],
    );
    t.equal(rest.revision, first.revision);
    t.same(
      (await store.range(p)).items.map(item => text(item.value)),
      ['a', 'changed', 'd'],
    );
  },
  'range: any retained revision can be read': async (t, { store }, p) => {
    const states: [Revision, string][] = [];
    let item = await put(store, `${p}k`, '0');
    for (let i = 1; i < 600; i++) {
      item = written(await store.put(`${p}k`, item.revision, bytes(String(i))));
      if (i % 97 === 0) states.push([item.revision, String(i)]);
    }
    for (const [at, value] of states) {
      const page = await store.range(p, { at });
      t.equal(text(page.items[0]?.value), value, `at ${at}`);
      t.equal(page.revision, at);
    }
  },
  'put: a create succeeds once': async (t, { store }, p) => {
    const first = await put(store, `${p}a`, '1');
    const second = await store.put(`${p}a`, 'absent', bytes('2'));
    t.match(second, { type: 'conflict', current: { key: `${p}a`, revision: first.revision } });
    t.equal(text((await store.get(`${p}a`))?.value), '1');
  },
  'put: only over the current revision': async (t, { store }, p) => {
    const first = await put(store, `${p}a`, '1');
    const second = written(await store.put(`${p}a`, first.revision, bytes('2')));
    t.ok(second.revision > first.revision);
    t.equal(text(second.value), '2');
    const late = await store.put(`${p}a`, first.revision, bytes('3'));
    t.equal(late.type === 'conflict' && late.current?.revision, second.revision);
    t.equal(late.type === 'conflict' && text(late.current?.value), '2');
    t.match(await store.put(`${p}none`, first.revision, bytes('3')), { type: 'conflict', current: undefined });
  },
  'put: exactly one of many concurrent writes succeeds': async (t, { store }, p) => {
    let standing: Revision | 'absent' = 'absent';
    for (let round = 0; round < 5; round++) {
      const expect: Revision | 'absent' = standing;
      const outcomes: Outcome<Uint8Array>[] = await Promise.all(
        Array.from({ length: 20 }, (_, i) => store.put(`${p}a`, expect, bytes(`${round}.${i}`))),
      );
      const won = outcomes.flatMap(outcome => (outcome.type === 'done' ? [outcome.item] : []));
      t.equal(won.length, 1);
      for (const outcome of outcomes) {
        if (outcome.type === 'conflict') t.equal(outcome.current?.revision, won[0]?.revision);
      }
      standing = won[0]?.revision ?? 'absent';
    }
  },
  'put: revisions grow and are unique': async (t, { store }, p) => {
    const before = await store.revision();
    const items = await Promise.all(Array.from({ length: 50 }, (_, i) => put(store, p + String(i), 'x')));
    const revisions = items.map(item => item.revision);
    t.equal(new Set(revisions).size, 50);
    t.ok(Math.min(...revisions) > before);
    t.equal(Math.max(...revisions), await store.revision());
  },
  'put: a value that is too large is refused': async (t, { store, maxValueBytes }, p) => {
    t.equal(await errorCode(store.put(`${p}a`, 'absent', Buffer.alloc(maxValueBytes + 1))), 'tooLarge');
    t.equal(await store.get(`${p}a`), undefined);
  },
  'put: a value of one megabyte is accepted': async (t, { store }, p) => {
    const value = Buffer.alloc(1 << 20, 'm');
    written(await store.put(`${p}a`, 'absent', value));
    t.equal(Buffer.compare((await store.get(`${p}a`))?.value ?? bytes(''), value), 0);
  },
  'put: a value with a time to live is removed when it expires': async (t, { store, signal }, p) => {
    const from = await store.revision();
    const started = Date.now();
    const item = written(await store.put(`${p}a`, 'absent', bytes('1'), { ttlSeconds: 2 }));
    written(await store.put(`${p}b`, 'absent', bytes('2'), { ttlSeconds: 60 }));
    const changes = await take(store.watch(p, from, signal), 3);
    const took = Date.now() - started;
    t.same(changes.map(short), [`put ${p}a=1 was undefined`, `put ${p}b=2 was undefined`, `remove ${p}a was 1`]);
    t.ok((changes[2]?.revision ?? 0) > item.revision);
    // The exact time depends on the machine. The key expires long before the other one on any machine.
    t.ok(took >= 2000, `it existed for ${took} ms`);
    t.equal(await store.get(`${p}a`), undefined);
  },
  'put: without a time to live the value stays': async (t, { store, signal }, p) => {
    const item = written(await store.put(`${p}a`, 'absent', bytes('1'), { ttlSeconds: 2 }));
    written(await store.put(`${p}a`, item.revision, bytes('2')));
    written(await store.put(`${p}marker`, 'absent', bytes('m'), { ttlSeconds: 3 }));
    const from = await store.revision();
    const changes = await take(store.watch(p, from, signal), 1);
    t.same(changes.map(short), [`remove ${p}marker was m`]);
    t.equal(text((await store.get(`${p}a`))?.value), '2');
  },
  'remove: only the item with the given revision': async (t, { store }, p) => {
    const first = await put(store, `${p}a`, '1');
    const second = written(await store.put(`${p}a`, first.revision, bytes('2')));
    const late = await store.remove(`${p}a`, first.revision);
    t.equal(late.type === 'conflict' && late.current?.revision, second.revision);
    const outcome = await store.remove(`${p}a`, second.revision);
    t.match(outcome, { type: 'done' });
    if (outcome.type !== 'done') return;
    t.ok(outcome.revision > second.revision);
    t.equal(outcome.item.revision, outcome.revision);
    t.equal(text(outcome.item.value), '2');
    t.equal(await store.get(`${p}a`), undefined);
    t.match(await store.remove(`${p}a`, second.revision), { type: 'conflict', current: undefined });
  },
  'remove: a removed key can be created again': async (t, { store }, p) => {
    const first = await put(store, `${p}a`, '1');
    const gone = await store.remove(`${p}a`, first.revision);
    const again = await put(store, `${p}a`, '2');
    t.ok(gone.type === 'done' && again.revision > gone.revision);
  },
  'watch: past changes after a revision, then new ones': async (t, { store, signal }, p) => {
    const first = await put(store, `${p}a`, '1');
    const second = written(await store.put(`${p}a`, first.revision, bytes('2')));
    await put(store, `${p}b`, '1');
    const changes = take(store.watch(p, first.revision, signal), 4);
    await store.remove(`${p}a`, second.revision);
    await put(store, `${p}c`, '1');
    t.same((await changes).map(short), [
      `put ${p}a=2 was 1`,
      `put ${p}b=1 was undefined`,
      `remove ${p}a was 2`,
      `put ${p}c=1 was undefined`,
    ]);
  },
  'watch: changes carry items and their revisions': async (t, { store, signal }, p) => {
    const from = await store.revision();
    const first = await put(store, `${p}a`, '1');
    const gone = await store.remove(`${p}a`, first.revision);
    const [put1, removal] = await take(store.watch(p, from, signal), 2);
    t.equal(put1?.revision, first.revision);
    t.equal(put1?.type === 'put' && put1.item.revision, first.revision);
    t.equal(removal?.revision, gone.type === 'done' && gone.revision);
    t.equal(removal?.previous?.revision, first.revision);
  },
  'watch: no changes outside the prefix': async (t, { store, signal }, p) => {
    const from = await store.revision();
    const changes = take(store.watch(`${p}in/`, from, signal), 2);
    await put(store, `${p}in`, 'x');
    await put(store, `${p}in0`, 'x');
    await put(store, `${p}in/a`, '1');
    await put(store, `${p}out/a`, 'x');
    await put(store, `${p}in/b/c`, '2');
    t.same(
      (await changes).map(change => change.type === 'put' && change.item.key),
      [`${p}in/a`, `${p}in/b/c`],
    );
  },
  'watch: no gap, no duplicate, in order, for each of many watchers': async (t, { store, signal }, p) => {
    const from = await store.revision();
    const total = 400;
    const watchers = Array.from({ length: 5 }, () => take(store.watch(p, from, signal), total));
    const writer = async (name: number): Promise<Revision[]> => {
      const revisions: Revision[] = [];
      let item = await put(store, `${p}${name}`, '0');
      revisions.push(item.revision);
      for (let i = 1; i < total / 8; i++) {
        item = written(await store.put(`${p}${name}`, item.revision, bytes(String(i))));
        revisions.push(item.revision);
      }
      return revisions;
    };
    const revisions = (await Promise.all(Array.from({ length: 8 }, (_, i) => writer(i)))).flat().sort((a, b) => a - b);
    for (const seen of await Promise.all(watchers)) t.same(seen.map(change => change.revision), revisions); // prettier-ignore
    // A watcher that starts late gets the same changes.
    const late = await take(store.watch(p, from, signal), total);
    t.same(
      late.map(change => change.revision),
      revisions,
    );
  },
  'watch: a change is sent when it can be read, neither before nor after': async (t, { store }, p) => {
    const from = await store.revision();
    const stop = new AbortController();
    let seen = 0;
    const watching = (async () => {
      for await (const change of store.watch(p, from, stop.signal)) {
        if (change.type !== 'put') continue;
        seen++;
        const read = await store.get(change.item.key);
        t.ok((read?.revision ?? 0) >= change.revision, 'a watched change can be read');
        if (seen === 20) stop.abort();
      }
    })();
    for (let i = 0; i < 20; i++) await put(store, p + String(i), 'x');
    await watching;
    t.equal(seen, 20);
  },
  'watch: the signal ends a watch, also before it starts': async (t, { store }, p) => {
    const from = await store.revision();
    const stop = new AbortController();
    const waiting = take(store.watch(p, from, stop.signal), 1);
    await put(store, `${p.slice(0, -1)}x`, 'elsewhere');
    stop.abort();
    t.same(await waiting, []);
    t.same(await take(store.watch(p, from, stop.signal), 1), []);
  },
  'watch: a watch from a future revision waits for it': async (t, { store, signal }, p) => {
    const now = await store.revision();
    const changes = take(store.watch(p, (now + 2) as Revision, signal), 1);
    for (const key of ['a', 'b', 'c']) await put(store, p + key, key);
    t.same((await changes).map(short), [`put ${p}c=c was undefined`]);
  },
  'compact: older revisions are compacted, the current state is kept': async (t, { store, compact, signal }, p) => {
    const a = await put(store, `${p}a`, '1');
    const b = await put(store, `${p}b`, '1');
    const changed = written(await store.put(`${p}a`, a.revision, bytes('2')));
    await put(store, `${p}c`, '1');
    await compact(changed.revision);
    t.equal(await errorCode(store.range(p, { at: a.revision })), 'compacted');
    const old = take(store.watch(p, (a.revision - 1) as Revision, signal), 1);
    t.equal(await errorCode(old), 'compacted');
    t.equal(text((await store.get(`${p}b`))?.value), text(b.value));
    t.equal((await store.range(p)).items.length, 3);
    const after = await take(store.watch(p, changed.revision, signal), 1);
    t.same(after.map(short), [`put ${p}c=1 was undefined`]);
    t.equal((await store.range(p, { at: changed.revision })).items.length, 2);
  },
};

let run = 0;

/** Runs every test of the contract on the store that `open` returns, each with its own prefix below `root`. */
export function storeConformance(t: Test, name: string, open: (root: string) => Promise<Subject>): void {
  t.test(`${name} fulfils the contract of a store`, async t => {
    const root = '/conformance/';
    const subject = await open(root);
    t.teardown(() => subject.close());
    for (const [promise, body] of Object.entries(promises)) {
      const why = subject.declines?.[promise];
      await t.test(promise, why === undefined ? {} : { skip: why }, async t => {
        const stop = new AbortController();
        try {
          await body(t, { ...subject, signal: stop.signal }, `${root}${run++}/`);
        } finally {
          stop.abort();
        }
      });
    }
  });
}
