/** Members whose server is hostile, behind the search cache and the proxies to members. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import type { HostileRequest, Row, Fixture } from '../row.js';
import { clusters, event, isWatch, json, memberFlags, withMember } from './members.js';
import { entries, get, object, post, range, remove } from './objects.js';

export const searchGroup = '/apis/search.karmada.io/v1alpha1';
const cache = `${searchGroup}/search/cache`;
const table = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json' };

export const isConfigMaps = ({ url = '' }: IncomingMessage): boolean => /\/configmaps(\?|$)/.test(url);
export const item = (i: number, more: object = {}): object =>
  object('v1', 'ConfigMap', `c${i}`, {
    metadata: { namespace: 'default', uid: `u${i}`, resourceVersion: `${i + 1}` },
    ...more,
  });
export const list = (items: readonly object[]): string =>
  JSON.stringify({ kind: 'ConfigMapList', apiVersion: 'v1', metadata: { resourceVersion: '1' }, items });

export const resourceList = {
  kind: 'APIResourceList',
  groupVersion: 'v1',
  resources: [{ name: 'configmaps', kind: 'ConfigMap', namespaced: true, verbs: ['get', 'list', 'watch'] }],
};

/** Waits until the cluster is ready: only then its resources are cached. */
export async function ready(fixture: Fixture, name: string): Promise<void> {
  for (let i = 0; i < 500; i++) {
    const { text } = await fixture.send(get(`${clusters}/${name}`));
    if (/"type":"Ready","status":"True"/.test(text)) return;
    await setTimeout(20);
  }
  throw new Error('the cluster is not ready');
}

interface Mirrored {
  /** Returns the response of the member to a list of its ConfigMaps. */
  readonly list: (size: number) => string;
  /** Returns the next piece of the response to a watch of them. */
  readonly watch?: (i: number) => string;
}

/** The time for which pieces of a watch are written, in milliseconds: less in the play that is not measured. */
const watchMs = { warmUp: 1000, measured: 3000 };

function flood(response: ServerResponse, piece: (i: number) => string, forMs: number): void {
  const until = performance.now() + forMs;
  let i = 0;
  const more = (): void => {
    while (!response.destroyed && performance.now() < until)
      if (!response.write(piece(i++))) return void response.once('drain', more);
  };
  response.on('error', () => undefined);
  response.writeHead(200, { 'content-type': 'application/json' });
  more();
}

/** Creates a ResourceRegistry for the ConfigMaps of a member, and reads and watches them. */
const mirrored = (name: string, size: number, member: Mirrored): Row => ({
  name: `search/${name}`,
  size,
  flags: memberFlags,
  play(fixture) {
    const body = member.list(fixture.size);
    let listed = 0;
    const answer = (request: IncomingMessage, response: ServerResponse): boolean => {
      if (request.url === '/api/v1') {
        json(response, resourceList);
        return true;
      }
      if (!isConfigMaps(request)) return false;
      if (isWatch(request)) {
        if (member.watch) flood(response, member.watch, fixture.warmUp ? watchMs.warmUp : watchMs.measured);
        return member.watch !== undefined;
      }
      listed++;
      json(response, body);
      return true;
    };
    return withMember(fixture, answer, async ({ name: own }) => {
      await ready(fixture, own);
      const registry = object('search.karmada.io/v1alpha1', 'ResourceRegistry', own, {
        spec: {
          targetCluster: { clusterNames: [own] },
          resourceSelectors: [{ apiVersion: 'v1', kind: 'ConfigMap' }],
        },
      });
      await fixture.must(post(`${searchGroup}/resourceregistries`, registry));
      await Promise.all([read(fixture, () => listed > 0), watched(fixture, own, member)]);
      await fixture.must(remove(`${searchGroup}/resourceregistries/${own}`));
      if (listed === 0) throw new Error('the member was not listed');
    });
  },
});

const reads: readonly HostileRequest[] = [
  get(`${cache}/api/v1/configmaps`),
  get(`${cache}/api/v1/namespaces/default/configmaps?labelSelector=a%3Db`),
  get(`${cache}/api/v1/namespaces/default/configmaps?fieldSelector=metadata.name%3Dc7`),
  get(`${cache}/api/v1/configmaps`, table),
  get(`${searchGroup}/proxying/karmada/proxy/api/v1/configmaps`),
];

/** Reads the cached resources, until some time after they were cached. */
async function read(fixture: Fixture, isMirrored: () => boolean): Promise<void> {
  for (let i = 0, after = 0; i < 100 && after < 2; i++) {
    if (isMirrored()) after++;
    for (const request of reads) await fixture.send(request);
    await setTimeout(100);
  }
}

/** Watches for three seconds, and for one where the member sends no changes, or in the play that is not measured. */
async function watched(fixture: Fixture, own: string, { watch }: Mirrored): Promise<void> {
  const seconds = fixture.warmUp || !watch ? 1 : 3;
  const fields = `fieldSelector=metadata.name%21%3D${own}`;
  await fixture.send(get(`${cache}/api/v1/configmaps?watch=true&timeoutSeconds=${seconds}&${fields}`));
}

const mirroredRows: readonly Row[] = [
  mirrored('list', 50_000, { list: size => list(range(size, item)) }),
  mirrored('large-items', 20, {
    list: size => list(range(size, i => item(i, { data: { k: 'x'.repeat(1_000_000) } }))),
  }),
  mirrored('many-values', 8, {
    list: size => list(range(size, i => item(i, { data: entries(40_000, at => [`k${at}`, 'v']) }))),
  }),
  mirrored('labels', 8, {
    list: size =>
      list(
        range(size, i =>
          object('v1', 'ConfigMap', `c${i}`, {
            metadata: { namespace: 'default', labels: entries(20_000, at => [`k${at}`, 'v']) },
          }),
        ),
      ),
  }),
  mirrored('deep-items', 20_000, {
    list: size => `{"kind":"ConfigMapList","apiVersion":"v1","items":[{"a":${'['.repeat(size)}${']'.repeat(size)}}]}`,
  }),
  mirrored('watch', 1000, {
    list: size => list(range(size, item)),
    watch: i => event('MODIFIED', item(i % 1000, { data: { k: `v${i}` } })),
  }),
  mirrored('watch-large', 1, {
    list: size => list(range(size, item)),
    watch: i => event('MODIFIED', item(0, { data: entries(40_000, at => [`k${at}`, `${i}`]) })),
  }),
];

type Reply = (response: ServerResponse, size: number) => void;

/** Sends requests through the proxies to a member whose server gives this response. */
const proxied = (name: string, size: number, reply: Reply): Row => ({
  name: `proxy/${name}`,
  size,
  flags: memberFlags,
  play: fixture =>
    withMember(
      fixture,
      (request, response) => {
        // The controllers list them, too, but without this limit.
        if (!/\/configmaps\?limit=7/.test(request.url ?? '')) return false;
        reply(response, fixture.size);
        return true;
      },
      async ({ name: own }) => {
        await ready(fixture, own);
        for (const path of [own, '*'])
          await fixture.send(get(`${clusters}/${path}/proxy/api/v1/namespaces/default/configmaps?limit=7`));
      },
    ),
});

const raw =
  (head: string, piece: (size: number) => string): Reply =>
  (response, size) => {
    const { socket } = response;
    if (!socket) return;
    response.detachSocket(socket);
    socket.on('error', () => undefined);
    socket.write(`HTTP/1.1 200 OK\r\n${head}`);
    socket.end(piece(size));
  };

const proxyRows: readonly Row[] = [
  proxied('list', 80_000, (response, size) => json(response, list(range(size, item)))),
  proxied('values', 10_000_000, (response, size) => json(response, `{"items":[1${',1'.repeat(size / 2)}]}`)),
  proxied('text', 40_000_000, (response, size) => {
    const piece = 'x'.repeat(65_536);
    let left = size;
    const more = (): void => {
      while (left > 0 && !response.destroyed) {
        left -= piece.length;
        if (!response.write(piece)) return void response.once('drain', more);
      }
      response.end();
    };
    more();
  }),
  proxied(
    'chunks',
    500_000,
    raw(
      'content-type: text/plain\r\ntransfer-encoding: chunked\r\n\r\n',
      size => `${'1\r\nx\r\n'.repeat(size)}0\r\n\r\n`,
    ),
  ),
  proxied(
    'headers',
    100_000,
    raw('', size => `${'x-a: b\r\n'.repeat(size)}\r\n`),
  ),
  proxied(
    'trailers',
    100_000,
    raw('transfer-encoding: chunked\r\ntrailer: x-a\r\n\r\n0\r\n', size => `${'x-a: b\r\n'.repeat(size)}\r\n`),
  ),
  proxied(
    'hints',
    200_000,
    raw('', size => 'HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n'.repeat(size)),
  ),
];

export const searchRows: readonly Row[] = [...mirroredRows, ...proxyRows];
