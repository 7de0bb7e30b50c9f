/** Member clusters whose server is hostile. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { toBase64 } from '../../../apimachinery/codec/base64.js';
import type { Row, Fixture } from '../row.js';
import { get, object, post, range, remove } from './objects.js';

type Answer = (request: IncomingMessage, response: ServerResponse, size: number) => boolean;

/** The server asks its members often, so that rows do not wait for the next time. */
export const memberFlags = ['--cluster-status-update-frequency=500ms'];

export const clusters = '/apis/cluster.karmada.io/v1alpha1/clusters';
const namespace = 'karmada-cluster';

/** Joins a member with this name, whose server is at `url`. */
export const join = (fixture: Fixture, name: string, url: string, authority: string): Promise<void> =>
  joinWith(fixture, name, authority, { syncMode: 'Push', apiEndpoint: url });

/** Joins a member with this name. `way`: how it is reached. */
export async function joinWith(fixture: Fixture, name: string, authority: string, way: object): Promise<void> {
  await fixture.send(post('/api/v1/namespaces', object('v1', 'Namespace', namespace)));
  const data = { token: toBase64('token'), caBundle: toBase64(authority) };
  await fixture.must(post(`/api/v1/namespaces/${namespace}/secrets`, object('v1', 'Secret', name, { data })));
  const spec = {
    ...way,
    ...{ secretRef: { namespace, name }, impersonatorSecretRef: { namespace, name } },
  };
  await fixture.must(post(clusters, object('cluster.karmada.io/v1alpha1', 'Cluster', name, { spec })));
}

/** Responds with JSON. */
export const json = (response: ServerResponse, body: unknown): void => {
  response.setHeader('content-type', 'application/json');
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
};

const apis = ['configmaps', 'pods', 'nodes', 'namespaces', 'services', 'secrets'];
const resourceList = {
  kind: 'APIResourceList',
  groupVersion: 'v1',
  resources: apis.map(name => ({ name, kind: name, namespaced: true, verbs: ['get', 'list', 'watch', 'create'] })),
};

/** Responds as a healthy member does. */
export function respondHealthy({ url = '' }: IncomingMessage, response: ServerResponse): void {
  const [path = ''] = url.split('?');
  if (path === '/version') return json(response, { gitVersion: 'v1.34.0' });
  if (path === '/api') return json(response, { kind: 'APIVersions', versions: ['v1'] });
  if (path === '/apis') return json(response, { kind: 'APIGroupList', groups: [] });
  if (path === '/api/v1') return json(response, resourceList);
  if (path.endsWith('z')) return void response.end('ok');
  if (url.includes('watch=')) return void response.writeHead(200).flushHeaders();
  json(response, { kind: 'List', apiVersion: 'v1', metadata: { resourceVersion: '1' }, items: [] });
}

type MemberAnswer = (request: IncomingMessage, response: ServerResponse) => boolean;

/** A member that has joined for a row. */
interface Joined {
  readonly name: string;
  /** Returns how many responses came from `answer`. */
  readonly answered: () => number;
}

/**
 * Joins a member whose server responds as a healthy one unless `answer` responds, calls `use` with it, and removes it. `answer` reports whether it
 * has responded. Rejects if it never did.
 */
export async function withMember(
  fixture: Fixture,
  answer: MemberAnswer,
  use: (member: Joined) => Promise<void>,
): Promise<void> {
  const name = fixture.name();
  const backend = await fixture.backend();
  let answered = 0;
  backend.onRequest = (request, response) => {
    response.on('error', () => undefined);
    if (answer(request, response)) answered++;
    else respondHealthy(request, response);
  };
  await join(fixture, name, backend.url, backend.authority);
  await use({ name, answered: () => answered });
  await backend.stop();
  await fixture.must(remove(`${clusters}/${name}`));
  if (answered === 0) throw new Error('the member was not asked');
}

/** Measures until the member has received a few requests. */
const hostile = (name: string, size: number, answer: Answer): Row => ({
  name: `members/${name}`,
  size,
  flags: memberFlags,
  play: fixture =>
    withMember(
      fixture,
      (request, response) => answer(request, response, fixture.size),
      async member => {
        const enough = fixture.warmUp ? 1 : 3;
        for (let i = 0; i < 600 && member.answered() < enough; i++) {
          void fixture.send(get(`${clusters}/${member.name}/proxy/api/v1/configmaps`)).catch(() => undefined);
          await setTimeout(20);
        }
        await setTimeout(fixture.warmUp ? 100 : 500); // The server is still reading the last response.
      },
    ),
});

const isPath = (request: IncomingMessage, ...paths: readonly string[]): boolean =>
  paths.includes((request.url ?? '').split('?')[0] ?? '');
export const isWatch = ({ url = '' }: IncomingMessage): boolean => /[?&]watch=(?:true|1)/.test(url);
const isList = (request: IncomingMessage): boolean =>
  /\/api\/v1\/[a-z]+(\?|$)/.test(request.url ?? '') && !isWatch(request);

/** Responds to matching requests with one body. */
const when = (
  name: string,
  size: number,
  isIt: (request: IncomingMessage) => boolean,
  body: (size: number) => string,
): Row =>
  hostile(name, size, (request, response, size) => {
    if (!isIt(request)) return false;
    json(response, body(size));
    return true;
  });

const isHealth = (request: IncomingMessage): boolean => isPath(request, '/readyz', '/healthz');
const isDiscovery = (request: IncomingMessage): boolean => isPath(request, '/api/v1');

/** Writes `size` bytes, as fast as the server reads them. */
const floods = (name: string, isIt: (request: IncomingMessage) => boolean, piece: () => string): Row =>
  hostile(name, 40_000_000, (request, response, size) => {
    if (!isIt(request)) return false;
    response.setHeader('content-type', 'application/json');
    let left = size;
    const more = (): void => {
      while (left > 0 && !response.destroyed) {
        const text = piece();
        left -= text.length;
        if (!response.write(text)) return void response.once('drain', more);
      }
      response.end();
    };
    more();
    return true;
  });

/** Answers lists with a text, and then with others without end, as fast as the server reads them. */
const writes = (name: string, head: string, piece: string, size = 40_000_000): Row =>
  hostile(name, size, (request, { socket }, size) => {
    if (!isList(request) || !socket) return false;
    socket.write(head);
    let left = size;
    const more = (): void => {
      for (; left > 0 && !socket.destroyed; left -= piece.length)
        if (!socket.write(piece)) return void socket.once('drain', more);
      socket.destroy();
    };
    more();
    return true;
  });

const item = (i: number): object =>
  object('v1', 'ConfigMap', `c${i}`, { metadata: { namespace: 'default', resourceVersion: `${i + 1}` } });
const list = (items: readonly object[]): string =>
  JSON.stringify({ kind: 'List', apiVersion: 'v1', metadata: { resourceVersion: '1' }, items });
export const event = (type: string, object: object): string => `${JSON.stringify({ type, object })}\n`;

/** Returns data with many different keys. */
const keys = (count: number): Readonly<Record<string, string>> =>
  Object.fromEntries(range(count, i => [`key-${i}`, 'x']));

export const memberRows: readonly Row[] = [
  when('health', 30_000_000, isHealth, size => 'x'.repeat(size)),
  when(
    'version',
    10_000_000,
    request => isPath(request, '/version'),
    size => JSON.stringify({ gitVersion: 'x'.repeat(size) }),
  ),
  when(
    'groups',
    100_000,
    request => isPath(request, '/apis'),
    size =>
      JSON.stringify({
        kind: 'APIGroupList',
        groups: range(size, i => ({ name: `g${i}`, versions: [{ version: 'v1' }] })),
      }),
  ),
  when('resources', 100_000, isDiscovery, size =>
    JSON.stringify({
      ...resourceList,
      resources: range(size, i => ({ name: `r${i}`, kind: `R${i}`, verbs: ['list', 'watch'] })),
    }),
  ),
  when('nameless-resources', 100_000, isDiscovery, size =>
    JSON.stringify({ ...resourceList, resources: range(size, () => ({})) }),
  ),
  when('deep-discovery', 10_000_000, isDiscovery, size => '['.repeat(size)),
  when('list', 200_000, isList, size => list(range(size, item))),
  when('deep-list', 10_000_000, isList, size => `{"items":${'['.repeat(size)}`),
  when('flat-list', 20_000_000, isList, size => `{"items":[1${',1'.repeat(size / 2)}]}`),
  when('large-items', 60, isList, size => list(range(size, i => ({ ...item(i), data: { k: 'x'.repeat(1_000_000) } })))),
  when('watched-keys', 90_000, isWatch, size => event('ADDED', { ...item(1), data: keys(size) })),
  when('token', 10_000_000, isList, size =>
    JSON.stringify({ kind: 'List', apiVersion: 'v1', metadata: { continue: 'x'.repeat(size) }, items: [] }),
  ),
  when('endless-list', 500, isList, size =>
    JSON.stringify({
      kind: 'List',
      apiVersion: 'v1',
      metadata: { resourceVersion: '1', continue: 'more' },
      items: range(size, item),
    }),
  ),
  floods('watch-events', isWatch, () => event('ADDED', item(1))),
  floods('watch-bookmarks', isWatch, () => event('BOOKMARK', item(1))),
  floods('watch-errors', isWatch, () => event('ERROR', object('v1', 'Status', 'x'))),
  floods('watch-line', isWatch, () => 'x'.repeat(100_000)),
  floods('watch-newlines', isWatch, () => '\n'.repeat(10_000)),
  floods('watch-brackets', isWatch, () => `${'['.repeat(100_000)}\n`),
  writes('endless-headers', 'HTTP/1.1 200 OK\r\n', 'x: y\r\n'.repeat(10_000)),
  writes('endless-informational', '', 'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(3000)),
  writes(
    'tiny-chunks',
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n',
    '1\r\nx\r\n'.repeat(10_000),
    20_000_000,
  ),
  floods('endless-body', isList, () => ' '.repeat(100_000)),
];
