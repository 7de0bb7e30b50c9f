/** Requests apart from their bodies: paths, parameters, selectors, headers, and the use of connections. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import http2 from 'node:http2';
import tls from 'node:tls';
import type { Target } from '../../conformance/fuzz/send.js';
import { requests, type Row, type Fixture } from '../row.js';
import { configMap, configMaps, entries, get, many, maxBytes, post, range, remove } from './objects.js';

const maxHeadBytes = 900_000; // The limit for the headers of a request is 1 MiB.

const query = (name: string, size: number, make: (size: number) => string): Row => ({
  name: `query/${name}`,
  size,
  async play({ raw, size }) {
    for (const path of [configMaps, `${configMaps}/x`]) await raw(head('GET', `${path}?${make(size)}`));
  },
});

const head = (method: string, path: string, lines = ''): Buffer =>
  Buffer.from(`${method} ${path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n${lines}\r\n`, 'latin1');

const selector = (name: string, size: number, make: (size: number) => string): Row =>
  query(name, size, size => `labelSelector=${encodeURIComponent(make(size))}`);
const fieldSelector = (name: string, size: number, make: (size: number) => string): Row =>
  query(name, size, size => `fieldSelector=${encodeURIComponent(make(size))}`);

const headers = (name: string, make: (size: number) => string): Row => ({
  name: `headers/${name}`,
  size: maxHeadBytes,
  async play({ raw, size }) {
    await raw(head('GET', configMaps, make(size)));
  },
});

/** The most headers that a request has room for, if each takes some 60 bytes with what RFC 9113 adds. Over HTTP/1.1, Node reads the first 2,000. */
const maxHeaders = 17_000;

/** Sends headers of a request that is made for another user, who may not read ConfigMaps. */
const headersOverHttp2 = (name: string, make: (size: number) => object): Row => ({
  name: `headers/${name}`,
  size: maxHeaders,
  async play({ send, size }) {
    const { status } = await send({ ...get(configMaps), headers: { 'impersonate-user': 'x', ...make(size) } });
    assert.equal(status, 403, `${size} headers are read`);
  },
});

const joined = (count: number, term: (i: number) => string): string => range(count, term).join(',');

const queryRows: readonly Row[] = [
  selector('terms-taken', 1000, size => joined(size, i => `k${i}=v`)),
  selector('not-terms-taken', 1000, size => joined(size, i => `!k${i}`)),
  selector('values-taken', 10_000, size => `k in (${joined(size, i => `v${i}`)})`),
  fieldSelector('field-terms-taken', 1000, size => joined(size, () => 'metadata.name!=x')),
  selector('terms', maxHeadBytes / 2, size => many(size, i => (i === 0 ? 'k0=v' : `,k${i}=v`))),
  selector('not-terms', maxHeadBytes / 3, size => many(size, i => (i === 0 ? '!k0' : `,!k${i}`))),
  selector('values', maxHeadBytes / 2, size => `k in (${many(size, i => (i === 0 ? 'v0' : `,v${i}`))})`),
  selector('equal-values', maxHeadBytes / 2, size => `k notin (${many(size, i => (i === 0 ? 'v' : ',v'))})`),
  selector('open-brackets', maxHeadBytes / 3, size => '('.repeat(size)),
  selector('commas', maxHeadBytes / 3, size => ','.repeat(size)),
  selector('equals', maxHeadBytes / 3, size => '='.repeat(size)),
  selector('spaces', maxHeadBytes / 3, size => `${' '.repeat(size)}k`),
  selector('spaces-in', maxHeadBytes / 3, size => `k in${' '.repeat(size)}(v${' '.repeat(size)}`),
  selector('long-key', maxHeadBytes / 2, size => 'k'.repeat(size)),
  selector('long-domain', maxHeadBytes / 2, size => `${'a.'.repeat(size / 2)}a/k=v`),
  fieldSelector('field-terms', maxHeadBytes / 3, size => many(size, () => 'metadata.name=x,')),
  fieldSelector('field-escapes', maxHeadBytes / 3, size => `metadata.name=${'\\,'.repeat(size / 2)}`),
  fieldSelector('field-unknown', maxHeadBytes / 3, size => many(size, i => `k${i}=v,`)),
  query('ampersands', maxHeadBytes, size => '&'.repeat(size)),
  query('parameters', maxHeadBytes, size => many(size, i => `k${i}=v&`)),
  query('equal-parameters', maxHeadBytes, size => many(size, () => 'limit=1&')),
  query('percents', maxHeadBytes, size => `k=${'%41'.repeat(size / 3)}`),
  query('bad-percents', maxHeadBytes, size => `k=${'%'.repeat(size)}`),
  query('plus', maxHeadBytes, size => `labelSelector=${'+'.repeat(size)}`),
  query('continue', maxHeadBytes, size => `limit=1&continue=${'A'.repeat(size)}`),
  query(
    'continue-deep',
    maxHeadBytes,
    size => `limit=1&continue=${Buffer.from('['.repeat(size * 0.7)).toString('base64url')}`,
  ),
  query('limit', maxHeadBytes, size => `limit=${'9'.repeat(size)}`),
  query('version', maxHeadBytes, size => `resourceVersion=${'9'.repeat(size)}`),
  query('timeout', maxHeadBytes, size => `timeout=${'1h'.repeat(size / 2)}`),
  query('timeout-zeros', maxHeadBytes, size => `timeout=0.${'0'.repeat(size)}s`),
  query('manager', maxHeadBytes, size => `fieldManager=${'x'.repeat(size)}`),
];

const urlRows: readonly Row[] = [
  ...(
    [
      ['slashes', size => '/'.repeat(size)],
      ['segments', size => '/a'.repeat(size / 2)],
      ['dots', size => '/..'.repeat(size / 3)],
      ['percents', size => `/${'%2e'.repeat(size / 3)}`],
      ['bad-percents', size => `/api/v1/${'%zz'.repeat(size / 3)}`],
      ['namespace', size => `/api/v1/namespaces/${'x'.repeat(size)}/configmaps`],
      ['group', size => `/apis/${'x.'.repeat(size / 2)}/v1/x`],
      ['proxy', size => `/api/v1/namespaces/default/services/x:${'9'.repeat(size)}/proxy/${'../'.repeat(10)}`],
      ['cluster-proxy', size => `/apis/cluster.karmada.io/v1alpha1/clusters/x/proxy${'/a'.repeat(size / 2)}`],
    ] satisfies readonly (readonly [string, (size: number) => string])[]
  ).map(([name, make]): Row => ({
    name: `url/${name}`,
    size: maxHeadBytes,
    async play({ raw, size }) {
      await raw(head('GET', make(size)));
    },
  })),
];

const headerRows: readonly Row[] = [
  headers('many', size => many(size, i => `x-${i}: v\r\n`)),
  headers('equal', size => many(size, () => `x: v\r\n`)),
  headersOverHttp2('extras', size => entries(size, i => [`impersonate-extra-${i}`, 'v'])),
  headersOverHttp2('groups', size => ({ 'impersonate-group': range(size, i => `g${i}`) })),
  headers('accept', size => `accept: ${many(size, i => `a/b${i},`)}\r\n`),
  headers('accept-parameters', size => `accept: application/json${';a=b'.repeat(size / 4)}\r\n`),
  headers('accept-spaces', size => `accept: application/json;${' '.repeat(size)}x\r\n`),
  headers('content-type', size => `content-type: ${'a/'.repeat(size / 2)}\r\ncontent-length: 0\r\n`),
  headers('encodings', size => `accept-encoding: ${many(size, i => `gzip;q=0.${i},`)}\r\n`),
  headers('etag', size => `if-none-match: ${many(size, i => `"${i}",`)}\r\n`),
  headers('cookies', size => `cookie: ${many(size, i => `k${i}=v;`)}\r\n`),
  headers('forwarded', size => `x-forwarded-for: ${many(size, () => '1.1.1.1,')}\r\n`),
  headers('protocols', size => `upgrade: websocket\r\nsec-websocket-protocol: ${many(size, i => `p${i},`)}\r\n`),
  headers('origin', size => `origin: https://${'a.'.repeat(size / 2)}\r\n`),
  headers('user-agent', size => `user-agent: ${'a/'.repeat(size / 2)}\r\n`),
];

/** Opens a connection to the server. */
export const openSocket = async (target: Target, protocol = 'http/1.1', credentials = true): Promise<tls.TLSSocket> => {
  const { host, port, ca } = target;
  const own = credentials ? target : { host, port, ca };
  const socket = tls.connect({ ...own, servername: 'localhost', ALPNProtocols: [protocol] });
  socket.on('error', () => undefined);
  await Promise.race([once(socket, 'secureConnect'), once(socket, 'close')]);
  return socket;
};

/** Opens `count` sockets, a few at a time. */
async function sockets(fixture: Fixture, count: number, credentials = true): Promise<tls.TLSSocket[]> {
  const all: tls.TLSSocket[] = [];
  while (all.length < count)
    all.push(
      ...(await Promise.all(
        range(Math.min(20, count - all.length), () => openSocket(fixture.target, 'http/1.1', credentials)),
      )),
    );
  return all;
}

/** Opens `size` watches whose selectors have so many terms, and changes objects. */
const watchesBySelector = (name: string, size: number, termCount: number): Row => ({
  name: `connections/${name}`,
  size,
  async play(fixture) {
    const all = await sockets(fixture, fixture.size);
    const terms = joined(termCount, i => `k${i}!=v${i}`);
    const opened = all.map(socket => once(socket, 'data'));
    for (const [i, socket] of all.entries()) {
      const path = `${configMaps}?watch=1&labelSelector=${encodeURIComponent(`a${i}!=b,${terms}`)}`;
      socket.write(
        `GET ${path} HTTP/1.1\r\nhost: localhost\r\naccept: application/json;as=Table;v=v1;g=meta.k8s.io\r\n\r\n`,
      );
    }
    await Promise.all(opened);
    for (const socket of all) socket.resume();
    for (let i = 0; i < 20; i++) {
      const name = fixture.name();
      await fixture.must(post(configMaps, configMap(name)));
      await fixture.must(remove(`${configMaps}/${name}`));
    }
    for (const socket of all) socket.destroy();
  },
});

const connectionRows: readonly Row[] = [
  {
    name: 'connections/pipelined',
    size: 20_000,
    async play({ raw, size }) {
      const line = `GET /version HTTP/1.1\r\nhost: localhost\r\n\r\n`;
      await raw(Buffer.concat([Buffer.from(line.repeat(size)), head('GET', '/version')]));
    },
  },
  {
    name: 'connections/pipelined-writes',
    size: 2000,
    retainedBytes: 16 << 20,
    async play({ raw, size, name, send }) {
      const label = name();
      const body = (i: number): string =>
        JSON.stringify(configMap(`${label}-${i}`, { metadata: { labels: { label } } }));
      const one = (text: string): string =>
        `POST ${configMaps} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${text.length}\r\n\r\n${text}`;
      await raw(Buffer.concat([Buffer.from(range(size, i => one(body(i))).join('')), head('GET', '/version')]));
      await send(remove(`${configMaps}?labelSelector=label%3D${label}`));
    },
  },
  {
    name: 'connections/chunks',
    size: 1_000_000,
    async play({ raw, size }) {
      const start = `POST ${configMaps} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n`;
      await raw(Buffer.from(`${start}${'1\r\n \r\n'.repeat(size)}0\r\n\r\n`));
    },
  },
  {
    name: 'connections/slow-bodies',
    size: 500,
    async play(fixture) {
      const all = await sockets(fixture, fixture.size);
      for (const socket of all)
        socket.write(
          `POST ${configMaps} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 3000000\r\n\r\n`,
        );
      for (let i = 0; i < 50; i++) {
        for (const socket of all) socket.write(' '.repeat(1000));
        await fixture.send(get('/version'));
      }
      for (const socket of all) socket.destroy();
    },
  },
  {
    name: 'connections/watches',
    size: 500,
    async play(fixture) {
      const all = await sockets(fixture, fixture.size);
      const opened = all.map(socket => once(socket, 'data'));
      for (const socket of all) socket.write(`GET ${configMaps}?watch=1 HTTP/1.1\r\nhost: localhost\r\n\r\n`);
      await Promise.all(opened);
      for (const socket of all) socket.resume();
      for (let i = 0; i < 5; i++) {
        const name = fixture.name();
        await fixture.must(post(configMaps, configMap(name, { data: { k: 'x'.repeat(100_000) } })));
        await fixture.must(remove(`${configMaps}/${name}`));
      }
      for (const socket of all) socket.destroy();
    },
  },
  watchesBySelector('watches-by-selector', 500, 100),
  watchesBySelector('watches-by-large-selector', 100, 999),
  {
    name: 'connections/handshakes',
    size: 300,
    async play(fixture) {
      for (const socket of await sockets(fixture, fixture.size, false)) socket.destroy();
    },
  },
  {
    name: 'connections/requests-at-once',
    size: 200,
    async play(fixture) {
      const body = JSON.stringify(
        configMap('x', { metadata: { labels: { k: '!'.repeat(100) } }, data: { k: 'x'.repeat(1_000_000) } }),
      );
      await Promise.all(range(fixture.size, () => fixture.send(post(configMaps, body))));
    },
  },
  {
    name: 'connections/broken-off',
    size: 300,
    async play(fixture) {
      const session = http2.connect(`https://${fixture.target.host}:${fixture.target.port}`, {
        ...fixture.target,
        servername: 'localhost',
      });
      session.on('error', () => undefined);
      const all = range(Math.min(fixture.size, 200), () => {
        const stream = session.request({ ':method': 'POST', ':path': configMaps, 'content-type': 'application/json' });
        stream.on('error', () => undefined);
        stream.write(Buffer.alloc(50_000, ' '));
        return stream;
      });
      await fixture.send(get('/version'));
      for (const stream of all) stream.close();
      session.destroy();
    },
  },
  requests('connections/too-large', maxBytes * 3, size => [post(configMaps, Buffer.alloc(size, ' '))]),
];

export const requestRows: readonly Row[] = [...queryRows, ...urlRows, ...headerRows, ...connectionRows];
