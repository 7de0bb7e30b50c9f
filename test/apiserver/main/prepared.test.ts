/** A new server that begins with what the build has kept is one that has written all by itself. */
import path from 'node:path';
import t from 'tap';
import type { ServerConfig } from '../../../apiserver/main/config.js';
import { silent } from '../../../apiserver/main/logger.js';
import { writePrepared } from '../../../apiserver/main/prepared.js';
import { openEmbedded } from '../../../storage/embedded/open-embedded.js';
import type { Backend } from '../../../storage/interface.js';
import { runningServer, temporaryFolder } from '../running.js';

const profiles: readonly ServerConfig['profile'][] = ['karmada', 'kubernetes'];

/** Differ between any two servers: their keys, and where they listen. */
const own = /^\/registry\/(configmaps|secrets|services)\//;

/** All that is in a store, without what differs between any two objects. */
async function contents(backend: Backend): Promise<Record<string, unknown>> {
  const { items } = await backend.range('/');
  return Object.fromEntries(
    items.map(({ key, value }) => {
      const text = Buffer.from(value).toString();
      const times = text.replace(/"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"/g, '"now"');
      return [key, own.test(key) ? '' : (JSON.parse(times.replace(/"uid":"[\w-]{36}"/, '"uid":"its own"')) as unknown)];
    }),
  );
}

const uids = async (backend: Backend): Promise<readonly string[]> =>
  (await backend.range('/')).items.map(
    ({ value }) => (JSON.parse(Buffer.from(value).toString()) as { metadata: { uid: string } }).metadata.uid,
  );

for (const profile of profiles)
  t.test(profile, async t => {
    const directory = await temporaryFolder(t);
    const open = (name: string): Promise<Backend> =>
      openEmbedded({ directory: path.join(directory, name), log: silent });
    const written = await open('written');
    t.teardown(() => written.close());
    const server = await runningServer(t, { profile, storage: { type: 'opened', backend: written } });
    await server.stop();

    const storage = { type: 'embedded', directory: path.join(directory, 'prepared') } as const;
    const other = await runningServer(t, { profile, storage });
    await other.stop();
    const prepared = await open('prepared');
    t.teardown(() => prepared.close());
    t.same(await contents(prepared), await contents(written), 'the same objects');
    const all = await uids(prepared);
    t.equal(new Set(all).size, all.length, 'with uids of their own');

    const empty = await open('empty');
    t.teardown(() => empty.close());
    const now = new Date('2026-01-02T03:04:05.678Z');
    t.ok(await writePrepared(profile, empty, now), 'the build has kept something');
    const [first] = (await empty.range('/registry/namespaces/')).items;
    t.match(Buffer.from(first?.value ?? []).toString(), '"creationTimestamp":"2026-01-02T03:04:05Z"');
    const found = await empty.range('/');
    t.ok(found.items.length > 150, 'most of what there is');

    const folder = (): Promise<string> => Promise.reject(Object.assign(new Error('EISDIR'), { code: 'EISDIR' }));
    await t.rejects(
      writePrepared(profile, empty, now, folder),
      { code: 'EISDIR' },
      'what cannot be read is not absent',
    );
    const none = (): Promise<string> => Promise.reject(Object.assign(new Error('ENOENT'), { code: 'ENOENT' }));
    t.equal(await writePrepared(profile, empty, now, none), false);
  });
