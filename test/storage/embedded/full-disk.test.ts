/** A file system that is repeatedly full while the store writes snapshots, starts segments and compacts its history. */
import fs from 'node:fs';
import path from 'node:path';
import t from 'tap';
import { readBackup, saveBackup } from '../../../storage/embedded/backup.js';
import { openEmbedded } from '../../../storage/embedded/open-embedded.js';
import { StorageError } from '../../../storage/error.js';
import type { Backend, Revision } from '../../../storage/interface.js';
import { noMounts, smallDisk } from '../../small-disk.js';
import { temporaryFolder } from '../folder.js';
import { until } from '../until.js';

/** Acknowledged values, and values of failed writes, which may or may not be stored. */
class Expected {
  readonly acknowledged = new Map<string, { readonly value: string; readonly revision: Revision }>();
  readonly unknown = new Map<string, Set<string>>();
  refused = 0;
  done = 0;

  async write(store: Backend, key: string, value: string): Promise<void> {
    const standing = await store.get(key);
    try {
      const outcome = await store.put(key, standing?.revision ?? 'absent', Buffer.from(value));
      if (outcome.type !== 'done') return;
      this.done++;
      this.acknowledged.set(key, { value, revision: outcome.revision });
      this.unknown.delete(key);
    } catch (error) {
      if (!(error instanceof StorageError) || error.code !== 'unwritable') throw error;
      if (!/^no space left on the disk/.test(error.message)) throw error;
      this.refused++;
      const values = this.unknown.get(key) ?? new Set();
      this.unknown.set(key, values.add(value));
    }
  }

  /** Returns the first key with an unexpected value. */
  wrong(valueOf: (key: string) => string | undefined): string | undefined {
    for (const [key, { value }] of this.acknowledged) {
      const found = valueOf(key);
      if (found !== value && !(found !== undefined && this.unknown.get(key)?.has(found))) return key;
    }
    return undefined;
  }
}

const room = [0, 4 << 10, 20 << 10, 100 << 10, 700 << 10];

t.test('a repeatedly full disk loses no acknowledged write', { skip: noMounts }, async t => {
  const disk = smallDisk(t, await temporaryFolder(t), 8);
  const directory = path.join(disk.folder, 'storage');
  const backup = path.join(await temporaryFolder(t), 'backup');
  const lines: string[] = [];
  const tell = (level: string) => (_fields: object, message: string) => void lines.push(`${level} ${message}`);
  const log = { info: tell('info'), warn: tell('warn'), error: tell('error') };
  const where = { directory, snapshotBytes: 300_000, historyBytes: 300_000, historyWindowMs: 50, log };
  let store = await openEmbedded(where);
  const expected = new Expected();
  let written = 0;
  const write = async (count: number): Promise<void> => {
    for (let i = 0; i < count; i++) {
      const lane = written++;
      const size = 200 + ((lane * 997) % 9000);
      await expected.write(store, `/k/${lane % 40}`, `${lane}.${'x'.repeat(size)}`);
      if (lane % 50 === 0) await store.compact(await store.revision()).catch(() => undefined);
    }
  };
  await write(200);
  for (const free of room) {
    disk.fill(free);
    const { refused } = expected;
    await until('writes are refused', async () => {
      await write(40);
      return expected.refused > refused + 20;
    });
    const held = new Map(
      (await store.range('/k/')).items.map(({ key, value }) => [key, Buffer.from(value).toString()]),
    );
    t.equal(
      expected.wrong(key => held.get(key)),
      undefined,
      `with ${free} bytes: in memory`,
    );
    await saveBackup(directory, backup, []);
    const { items } = await readBackup(backup);
    t.equal(
      expected.wrong(key => Buffer.from(items.get(key)?.value ?? '').toString()),
      undefined,
      'on disk',
    );
    fs.rmSync(backup);
    disk.empty();
    await until('it takes writes again', () =>
      store.health().then(
        () => true,
        () => false,
      ),
    );
    const { done } = expected;
    await write(200);
    t.equal(expected.done, done + 200, 'all of them succeed');
  }
  const count = (text: string): number => lines.filter(line => line === text).length;
  const begun = 'error writes are refused until the data directory takes them; reads and watches go on';
  const ended = 'info the data directory takes writes again';
  const outages = lines.filter(line => line === begun || line === ended);
  // A snapshot that makes room may end an outage for a while.
  t.ok(outages.length >= 2 * room.length, 'each outage is logged');
  t.same(
    outages,
    outages.map((_, i) => (i % 2 === 0 ? begun : ended)),
    'once when it begins, and once when it ends',
  );
  t.equal(outages.at(-1), ended);
  t.ok(count('info snapshot written') > 1);
  t.ok(fs.readdirSync(directory).length < 100, 'failed attempts leave nothing behind');
  t.same(
    fs.readdirSync(directory).filter(name => name.endsWith('.tmp')),
    [],
  );

  await store.close();
  store = await openEmbedded(where);
  const items = new Map((await store.range('/k/')).items.map(({ key, value }) => [key, Buffer.from(value).toString()]));
  t.equal(
    expected.wrong(key => items.get(key)),
    undefined,
    'after a restart',
  );
  await store.close();
});
