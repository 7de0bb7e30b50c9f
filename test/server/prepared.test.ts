/** A new server that begins with what the build has kept is one that has written all by itself. */
import path from 'node:path';
import t from 'tap';
import type { ServerConfig } from '../../server/config.js';
import { silent } from '../../server/logger.js';
import { type First, writePrepared } from '../../server/prepared.js';
import { decodeProtobuf } from '../../apiserver/negotiate/protobuf/envelope.js';
import { openEmbedded } from '../../storage/embedded/open-embedded.js';
import type { Backend } from '../../storage/interface.js';
import { runningServer, temporaryFolder } from '../apiserver/running.js';

const profiles: readonly ServerConfig['profile'][] = ['karmada', 'kubernetes'];
const firsts: readonly First[] = profiles.flatMap(profile => [false, true].map(shared => ({ profile, shared })));

/** Differ between any two servers: their keys, and where they listen. */
const own = /^\/registry\/(configmaps|secrets|services)\//;

/** A stored value, in whichever form. */
function parse(value: Uint8Array): { readonly metadata: { readonly uid: string } } {
  const bytes = Buffer.from(value);
  const isProtobuf = bytes.toString('latin1', 0, 4) === 'k8s\0';
  const object = isProtobuf
    ? decodeProtobuf(bytes, { apiVersion: '', kind: '' })
    : (JSON.parse(bytes.toString()) as object);
  return object as { readonly metadata: { readonly uid: string } };
}

/** All that is in a store, without what differs between any two objects. */
async function contents(backend: Backend): Promise<Record<string, unknown>> {
  const { items } = await backend.range('/');
  return Object.fromEntries(
    items.map(({ key, value }) => {
      const form = Buffer.from(value).toString('latin1', 0, 4);
      const text = JSON.stringify(parse(value));
      const times = text.replace(/"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"/g, '"now"');
      const object = JSON.parse(times.replace(/"uid":"[\w-]{36}"/, '"uid":"its own"')) as unknown;
      return [key, own.test(key) ? '' : { form, object }];
    }),
  );
}

const time = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g;

const uids = async (backend: Backend): Promise<readonly string[]> =>
  (await backend.range('/')).items.map(({ value }) => parse(value).metadata.uid);

for (const first of firsts)
  t.test(`${first.profile}, ${first.shared ? 'as in an etcd' : 'in our own form'}`, async t => {
    const { profile, shared } = first;
    const directory = await temporaryFolder(t);
    const open = (name: string): Promise<Backend> =>
      openEmbedded({ directory: path.join(directory, name), log: silent });
    /** The store as it is once a server has run on it. */
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
    t.ok(await writePrepared(first, beginning, new Date()), 'the build has kept something');
    const before = (await beginning.range('/')).items.map(({ key, revision }) => [key, revision] as const);
    const prepared = await served(beginning, 'prepared');
    const after = new Map((await prepared.range('/')).items.map(({ key, revision }) => [key, revision]));
    t.same(before.filter(([key, revision]) => after.get(key) !== revision), [], 'nobody has to change it'); // prettier-ignore
    t.same(await contents(prepared), await contents(written), 'the same objects');
    const all = await uids(prepared);
    t.equal(new Set(all).size, all.length, 'with uids of their own');

    const empty = await open('empty');
    t.teardown(() => empty.close());
    const now = new Date('2026-01-02T03:04:05.678Z');
    t.ok(await writePrepared(first, empty, now));
    const [namespace] = (await empty.range('/registry/namespaces/')).items;
    t.match(parse(namespace?.value ?? Buffer.alloc(0)), { metadata: { creationTimestamp: '2026-01-02T03:04:05Z' } });
    const found = await empty.range('/');
    t.ok(found.items.length > 150, 'most of what there is');
    const times = new Set(found.items.flatMap(({ value }) => JSON.stringify(parse(value)).match(time) ?? []));
    t.same([...times], ['2026-01-02T03:04:05Z'], 'all times are that of the start');

    const folder = (): Promise<string> => Promise.reject(Object.assign(new Error('EISDIR'), { code: 'EISDIR' }));
    await t.rejects(writePrepared(first, empty, now, folder), { code: 'EISDIR' }, 'what cannot be read is not absent');
    const none = (): Promise<string> => Promise.reject(Object.assign(new Error('ENOENT'), { code: 'ENOENT' }));
    t.equal(await writePrepared(first, empty, now, none), false);
    t.equal(await writePrepared(first, empty, now), false, 'somebody was there before');
  });
