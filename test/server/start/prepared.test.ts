/** A new server that begins with the prepared store holds the same objects as one that writes them all itself. */
import path from 'node:path';
import t from 'tap';
import type { ServerConfig } from '../../../server/config.js';
import { silent } from '../../../server/logger.js';
import { type PreparedVariant, writePrepared } from '../../../server/start/prepared.js';
import { decodeProtobuf } from '../../../apiserver/negotiate/protobuf/envelope.js';
import { openEmbedded } from '../../../storage/embedded/open-embedded.js';
import type { Backend } from '../../../storage/interface.js';
import { runningServer, temporaryFolder } from '../../apiserver/running.js';

const profiles: readonly ServerConfig['profile'][] = ['karmada', 'kubernetes'];
const firsts: readonly PreparedVariant[] = profiles.flatMap(profile =>
  [false, true].map(shared => ({ profile, shared })),
);

/** Keys whose contents differ between any two servers: certificates, and the addresses they listen on. */
const differing = /^\/registry\/(configmaps|secrets|services)\//;

/** Parses a stored value, JSON or protobuf. */
function parse(value: Uint8Array): { readonly metadata: { readonly uid: string } } {
  const bytes = Buffer.from(value);
  const isProtobuf = bytes.toString('latin1', 0, 4) === 'k8s\0';
  const object = isProtobuf
    ? decodeProtobuf(bytes, { apiVersion: '', kind: '' })
    : (JSON.parse(bytes.toString()) as object);
  return object as { readonly metadata: { readonly uid: string } };
}

/** Returns all objects of a store, without what differs between any two of them. */
async function contents(backend: Backend): Promise<Record<string, unknown>> {
  const { items } = await backend.range('/');
  return Object.fromEntries(
    items.map(({ key, value }) => {
      const form = Buffer.from(value).toString('latin1', 0, 4);
      const text = JSON.stringify(parse(value));
      const times = text.replace(/"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"/g, '"now"');
      const object = JSON.parse(times.replace(/"uid":"[\w-]{36}"/, '"uid":"its own"')) as unknown;
      return [key, differing.test(key) ? '' : { form, object }];
    }),
  );
}

const time = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g;

const uids = async (backend: Backend): Promise<readonly string[]> =>
  (await backend.range('/')).items.map(({ value }) => parse(value).metadata.uid);

for (const first of firsts)
  t.test(
    `a prepared store for ${first.profile}, ${first.shared ? 'in the form for etcd' : 'in the form of the embedded store'}`,
    async t => {
      const { profile, shared } = first;
      const directory = await temporaryFolder(t);
      const open = (name: string): Promise<Backend> =>
        openEmbedded({ directory: path.join(directory, name), log: silent });
      /** Returns the store after a server has run on it. */
      const served = async (backend: Backend, name: string): Promise<Backend> => {
        const server = await runningServer(t, { profile, storage: { type: 'opened', backend, shared } });
        await server.stop();
        await backend.close();
        const again = await open(name);
        t.teardown(() => again.close());
        return again;
      };
      const written = await served(await open('written'), 'written');
      const beginning = await open('prepared');
      t.ok(await writePrepared(first, beginning, new Date()), 'the build contains a prepared store');
      const before = (await beginning.range('/')).items.map(({ key, revision }) => [key, revision] as const);
      const prepared = await served(beginning, 'prepared');
      const after = new Map((await prepared.range('/')).items.map(({ key, revision }) => [key, revision]));
      t.same(before.filter(([key, revision]) => after.get(key) !== revision), [], 'a server changes nothing in it'); // prettier-ignore
      t.same(await contents(prepared), await contents(written), 'the same objects');
      const all = await uids(prepared);
      t.equal(new Set(all).size, all.length, 'each object has its own uid');

      const empty = await open('empty');
      t.teardown(() => empty.close());
      const now = new Date('2026-01-02T03:04:05.678Z');
      t.ok(await writePrepared(first, empty, now));
      const [namespace] = (await empty.range('/registry/namespaces/')).items;
      t.match(parse(namespace?.value ?? Buffer.alloc(0)), { metadata: { creationTimestamp: '2026-01-02T03:04:05Z' } });
      const found = await empty.range('/');
      t.ok(found.items.length > 150, 'most of the objects');
      const times = new Set(found.items.flatMap(({ value }) => JSON.stringify(parse(value)).match(time) ?? []));
      t.same([...times], ['2026-01-02T03:04:05Z'], 'all times are the start time');

      const folder = (): Promise<string> => Promise.reject(Object.assign(new Error('EISDIR'), { code: 'EISDIR' }));
      await t.rejects(
        writePrepared(first, empty, now, folder),
        { code: 'EISDIR' },
        'a prepared store that cannot be read is an error',
      );
      const none = (): Promise<string> => Promise.reject(Object.assign(new Error('ENOENT'), { code: 'ENOENT' }));
      t.equal(await writePrepared(first, empty, now, none), false);
      t.equal(await writePrepared(first, empty, now), false, 'a store that is not empty is left alone');
    },
  );
