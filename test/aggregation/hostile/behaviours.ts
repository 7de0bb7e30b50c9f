/** Behaviours of hostile servers. Each behaviour answers some paths in its own way, and the others as a regular member. */
import type { IncomingMessage, ServerResponse } from 'node:http';

interface Behaviour {
  readonly name: string;
  /** Matches the path and query of the requests that the behaviour answers. */
  readonly at: RegExp;
  readonly answer: (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;
}

const json = { 'content-type': 'application/json' };

/** Writes the same piece repeatedly, as fast as the client reads. */
function flood(response: ServerResponse, piece: (n: number) => string | Buffer, head = ''): void {
  let n = 0;
  if (head !== '') response.write(head);
  const more = (): void => {
    while (!response.destroyed) {
      if (!response.write(piece(n++))) {
        response.once('drain', more);
        return;
      }
    }
  };
  more();
}

const pod = (name: string, more: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default', uid: name, resourceVersion: '7' },
  spec: { containers: [] },
  ...more,
});

const listHead = '{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"7"},"items":[';
const podList = (items: string, metadata: object = { resourceVersion: '7' }): string =>
  `{"kind":"PodList","apiVersion":"v1","metadata":${JSON.stringify(metadata)},"items":[${items}]}`;

const event = (type: string, object: unknown): string => `${JSON.stringify({ type, object })}\n`;

const whole =
  (body: () => string | Buffer, headers: Readonly<Record<string, string>> = json): Behaviour['answer'] =>
  (_request, response) => {
    response.writeHead(200, headers);
    response.end(body());
  };

const flooding =
  (piece: (n: number) => string | Buffer, head = ''): Behaviour['answer'] =>
  (_request, response) => {
    response.writeHead(200, json);
    flood(response, piece, head);
  };

/** Repeats a text up to a size in megabytes. */
const megabytes = (text: string, count: number): string => text.repeat(Math.ceil((count * 1024 * 1024) / text.length));

/** Writes bytes to the socket without end. Over HTTP/2, where this is impossible, they are the body. */
const raw =
  (piece: Buffer): Behaviour['answer'] =>
  (request, response) => {
    if (request.httpVersionMajor > 1) return flooding(() => piece)(request, response);
    response.detachSocket(request.socket);
    const { socket } = request;
    const more = (): void => {
      while (!socket.destroyed) {
        if (!socket.write(piece)) {
          socket.once('drain', more);
          return;
        }
      }
    };
    more();
  };

const podsList = /\/api\/v1\/pods\?(?!.*watch=true)/;
const podsWatch = /\/api\/v1\/pods\?.*watch=true/;
const groups = /\/apis$/;

const manyPods = (count: number, from: number): string =>
  Array.from({ length: count }, (_, i) => JSON.stringify(pod(`p${from + i}`))).join(',');

/** Returns a small gzip body that decompresses to a very large one. */
const bomb = (): Buffer => Buffer.alloc(1024 * 1024, 'H4sIAAAAAAAAA');

const memberWays: readonly Behaviour[] = [
  { name: 'a list that never ends', at: podsList, answer: flooding(n => `${manyPods(100, n * 100)},`, listHead) },
  { name: 'an item that never ends', at: podsList, answer: flooding(() => 'x'.repeat(65536), `${listHead}{"a":"`) },
  {
    name: 'items of three million objects',
    at: podsList,
    answer: whole(() => podList(`{"a":[${megabytes('{},', 7)}{}]}`)),
  },
  {
    name: 'items nested 100,000 deep',
    at: podsList,
    answer: whole(() => podList(`{"a":${'['.repeat(1e5)}${']'.repeat(1e5)}}`)),
  },
  { name: 'white space without end', at: podsList, answer: flooding(() => ' '.repeat(65536), listHead) },
  { name: 'a list head without end', at: podsList, answer: flooding(() => '"a":"b",'.repeat(8192), '{') },
  {
    name: 'a continue token that never ends',
    at: podsList,
    answer: (request, response) => {
      const at = Number(/continue=(\d+)/.exec(request.url ?? '')?.[1] ?? 0);
      response.writeHead(200, json);
      response.end(podList(manyPods(500, at * 500), { resourceVersion: '7', continue: String(at + 1) }));
    },
  },
  {
    name: 'empty pages that never end',
    at: podsList,
    answer: whole(() => podList('', { resourceVersion: '7', continue: 'x' })),
  },
  { name: 'a page of 30 MB in one line', at: podsList, answer: whole(() => podList(manyPods(150_000, 0))) },
  {
    name: 'bytes that drip',
    at: podsList,
    answer: (_request, response) => {
      response.writeHead(200, json);
      const drip = setInterval(() => response.write(' '), 5);
      response.once('close', () => clearInterval(drip));
    },
  },
  {
    name: 'chunks of one byte',
    at: podsList,
    answer: raw(Buffer.from(`HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${'1\r\n{\r\n'.repeat(10_000)}`)),
  },
  { name: 'no JSON', at: podsList, answer: whole(() => megabytes('<html>', 20), { 'content-type': 'text/html' }) },
  { name: 'nearly JSON', at: podsList, answer: whole(() => podList(`{"a":"${'\\"'.repeat(2e6)}}`)) },
  { name: 'a gzip bomb', at: podsList, answer: whole(bomb, { ...json, 'content-encoding': 'gzip' }) },
  {
    name: 'headers of megabytes',
    at: podsList,
    answer: raw(Buffer.from(`HTTP/1.1 200 OK\r\n${'x-a: b\r\n'.repeat(100_000)}`)),
  },
  {
    name: '1xx answers without end',
    at: podsList,
    answer: raw(Buffer.from('HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n'.repeat(1000))),
  },
  {
    name: '100-continue without end',
    at: podsList,
    answer: raw(Buffer.from('HTTP/1.1 100 Continue\r\n\r\n'.repeat(1000))),
  },
  {
    name: 'redirects to itself',
    at: podsList,
    answer: (request, response) => void response.writeHead(302, { location: request.url ?? '/' }).end(),
  },
  {
    name: 'an error that never ends',
    at: podsList,
    answer: (_request, response) => {
      response.writeHead(500, json);
      flood(response, () => 'x'.repeat(65536));
    },
  },
  {
    name: 'a wait of years',
    at: podsList,
    answer: (_request, response) => void response.writeHead(429, { 'retry-after': '999999999999' }).end(),
  },
  {
    name: 'items without names',
    at: podsList,
    answer: whole(() => podList('{"metadata":{}},{"metadata":{"name":5}},{}')),
  },
  { name: 'items that are numbers', at: podsList, answer: whole(() => podList('1,1e999,-0')) },
  {
    name: 'a version of a megabyte',
    at: podsList,
    answer: whole(() => podList('', { resourceVersion: '9'.repeat(1e6) })),
  },
  {
    name: 'numbers beyond all bounds',
    at: podsList,
    answer: whole(() =>
      podList(JSON.stringify(pod('p')).replace('[]', `[${'1e999,'.repeat(1000)}${'9'.repeat(1e6)}]`)),
    ),
  },
  {
    name: 'amounts of a megabyte',
    at: podsList,
    answer: whole(() =>
      podList(
        JSON.stringify(pod('p', { spec: { containers: [{ resources: { requests: { cpu: '9'.repeat(3e6) } } }] } })),
      ),
    ),
  },
  {
    name: 'pods that are none',
    at: podsList,
    answer: whole(() => podList(JSON.stringify(pod('p', { spec: 5, status: [] })))),
  },
  {
    name: 'bookmarks at full speed',
    at: podsWatch,
    answer: flooding(n => event('BOOKMARK', { kind: 'Pod', metadata: { resourceVersion: String(n) } }).repeat(100)),
  },
  {
    name: 'changes at full speed',
    at: podsWatch,
    answer: flooding(n =>
      event('MODIFIED', pod('p', { status: { n }, metadata: { name: 'p', resourceVersion: String(n) } })),
    ),
  },
  { name: 'new objects at full speed', at: podsWatch, answer: flooding(n => event('ADDED', pod(`p${n}`))) },
  {
    name: 'objects of 3 MB at full speed',
    at: podsWatch,
    answer: flooding(n =>
      event(
        'MODIFIED',
        pod('p', {
          metadata: { name: 'p', resourceVersion: String(n) },
          status: {
            conditions: Array.from({ length: 15_000 }, (_, i) => ({
              type: `t${i}`,
              status: 'True',
              reason: 'because',
              message: 'x'.repeat(150),
            })),
          },
        }),
      ),
    ),
  },
  { name: 'a line without end', at: podsWatch, answer: flooding(() => 'x'.repeat(65536)) },
  { name: 'empty lines at full speed', at: podsWatch, answer: flooding(() => '\n'.repeat(65536)) },
  {
    name: 'errors in a loop',
    at: podsWatch,
    answer: whole(() => event('ERROR', { kind: 'Status', code: 410, reason: 'Expired' })),
  },
  { name: 'errors that are none', at: podsWatch, answer: whole(() => event('ERROR', null)) },
  { name: 'events of no type', at: podsWatch, answer: whole(() => '{}\n[]\nnull\n') },
  {
    name: 'discovery of 100,000 resources',
    at: groups,
    answer: whole(() => {
      const resources = Array.from({ length: 100_000 }, (_, i) => ({
        resource: `r${i}`,
        responseKind: { kind: `K${i}` },
        scope: 'Cluster',
        verbs: ['get'],
      }));
      return JSON.stringify({
        kind: 'APIGroupDiscoveryList',
        items: [{ metadata: { name: 'g' }, versions: [{ version: 'v1', resources }] }],
      });
    }),
  },
  {
    name: 'discovery without names',
    at: groups,
    answer: whole(() =>
      JSON.stringify({ kind: 'APIGroupDiscoveryList', items: [{}, 5, { versions: [{}, { resources: [{}, null] }] }] }),
    ),
  },
  {
    name: 'discovery that never ends',
    at: groups,
    answer: flooding(n => `{"metadata":{"name":"g${n}"}},`, '{"kind":"APIGroupDiscoveryList","items":['),
  },
  { name: 'a version that never ends', at: /\/version$/, answer: flooding(() => 'x'.repeat(65536)) },
  { name: 'health that never ends', at: /\/readyz$/, answer: flooding(() => 'x'.repeat(65536)) },
];

const review = (more: object): string =>
  JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', ...more });

/** Behaviours of webhooks. Requests that call these webhooks are refused. */
export const webhookBehaviours: readonly Behaviour[] = (
  [
    ['a review that never ends', flooding(() => 'x'.repeat(65536), '{"a":"')],
    ['white space without end', flooding(() => ' '.repeat(65536))],
    ['a verdict of 60 MB', whole(() => review({ response: { allowed: true, warnings: [megabytes('x', 60)] } }))],
    [
      'three million objects',
      whole(() => review({ response: { a: [megabytes('{},', 7)] } }).replace(/"(\{\},)+"/, m => `${m.slice(1, -2)}`)),
    ],
    ['nested 100,000 deep', whole(() => `{"a":${'['.repeat(1e5)}${']'.repeat(1e5)}}`)],
    ['nearly JSON', whole(() => `{"a":"${'\\"'.repeat(2e6)}`)],
    [
      'bytes that drip',
      (_request, response) => {
        response.writeHead(200, json);
        const drip = setInterval(() => response.write(' '), 5);
        response.once('close', () => clearInterval(drip));
      },
    ],
    [
      'chunks of one byte',
      raw(Buffer.from(`HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${'1\r\n{\r\n'.repeat(10_000)}`)),
    ],
    ['headers of megabytes', raw(Buffer.from(`HTTP/1.1 200 OK\r\n${'x-a: b\r\n'.repeat(100_000)}`))],
    ['1xx answers without end', raw(Buffer.from('HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n'.repeat(1000)))],
    [
      'redirects to itself',
      (request, response) => void response.writeHead(307, { location: request.url ?? '/' }).end(),
    ],
    [
      'an error that never ends',
      (_request, response) => {
        response.writeHead(500, json);
        flood(response, () => 'x'.repeat(65536));
      },
    ],
    ['a wait of years', (_request, response) => void response.writeHead(429, { 'retry-after': '999999999999' }).end()],
    ['silence', () => undefined],
  ] as const satisfies readonly (readonly [string, Behaviour['answer']])[]
).map(([name, answer]) => ({ name, at: /\/webhook/, answer }));

export const memberBehaviours: readonly Behaviour[] = memberWays;

/** All behaviours; the index is the number in the URL. */
export const behaviours: readonly Behaviour[] = [...memberBehaviours, ...webhookBehaviours];

const emptyGroups = JSON.stringify({ kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2', items: [] });
const coreGroup = JSON.stringify({
  kind: 'APIGroupDiscoveryList',
  items: [
    {
      metadata: { name: '' },
      versions: [
        {
          version: 'v1',
          resources: [
            { resource: 'pods', responseKind: { kind: 'Pod' }, scope: 'Namespaced', verbs: ['list', 'watch'] },
          ],
        },
      ],
    },
  ],
});

/** Answers as a regular member without objects does. */
export function ordinary(path: string, response: ServerResponse): void {
  if (/\/readyz$/.test(path)) return void response.end('ok');
  response.writeHead(200, json);
  if (/\/version$/.test(path)) return void response.end('{"gitVersion":"v1.36.0"}');
  if (/\/api$/.test(path)) return void response.end(coreGroup);
  if (/\/apis$/.test(path)) return void response.end(emptyGroups);
  if (/watch=true/.test(path)) return void response.flushHeaders();
  response.end('{"kind":"List","apiVersion":"v1","metadata":{"resourceVersion":"7"},"items":[]}');
}
