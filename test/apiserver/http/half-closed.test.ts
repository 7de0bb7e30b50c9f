/** A client over HTTP/1.1 may close its side of the connection once it has sent its requests, and still gets the answers. */
import { once } from 'node:events';
import net from 'node:net';
import tls from 'node:tls';
import t, { type Test } from 'tap';
import { answerText } from '../../../apiserver/http/answer.js';
import type { RequestFilter } from '../../../apiserver/http/filters.js';
import { until } from '../../storage/until.js';
import { byPath, identity, left, start } from './h2/server.js';

/** Answers when the client has closed its side. */
const whenLeft: RequestFilter = async request => {
  await left(request);
  answerText(request, 200, 'late');
};

const routes: Readonly<Record<string, RequestFilter>> = {
  '/late': whenLeft,
  '/body': async request => {
    const body = await request.exchange.body(1 << 20);
    answerText(request, 200, `${body.length} bytes`);
  },
  '/stream': async request => {
    const stream = request.exchange.stream(200, request.answerHeaders());
    stream.write(Buffer.from('first'));
    await left(request);
    stream.write(Buffer.from('last'));
    stream.end();
    request.release();
  },
};

const request = (path: string, head = '', body = ''): string =>
  `GET ${path} HTTP/1.1\r\nhost: localhost\r\n${head}\r\n${body}`;

interface Closing {
  readonly name: string;
  /** Connects, sends the text, and closes the sending side. */
  readonly open: (port: number, text: string) => Promise<tls.TLSSocket>;
}

const closings: readonly Closing[] = [
  {
    name: 'with the end of TLS',
    async open(port, text) {
      const socket = tls.connect({
        host: '127.0.0.1',
        port,
        servername: 'localhost',
        ...identity,
        allowHalfOpen: true,
      } as tls.ConnectionOptions);
      await once(socket, 'secureConnect');
      socket.end(text);
      return socket;
    },
  },
  {
    name: 'with the end of TCP alone',
    async open(port, text) {
      const tcp = net.connect({ host: '127.0.0.1', port, allowHalfOpen: true });
      const socket = tls.connect({ socket: tcp, servername: 'localhost', ...identity });
      await once(socket, 'secureConnect');
      await new Promise(resolve => socket.write(text, resolve));
      tcp.end();
      return socket;
    },
  },
];

async function received(socket: tls.TLSSocket): Promise<string> {
  let text = '';
  socket.setEncoding('latin1').on('data', (chunk: string) => (text += chunk));
  await once(socket, 'end');
  socket.destroy();
  return text;
}

interface Row {
  readonly name: string;
  readonly sent: string;
  /** What is received, in this order. */
  readonly expect: readonly RegExp[];
}

const rows: readonly Row[] = [
  { name: 'an answer that takes time', sent: request('/late'), expect: [/^HTTP\/1\.1 200 OK\r\n/, /late$/] },
  {
    name: 'a request with a body',
    sent: request('/body', 'content-length: 5\r\n', 'hello'),
    expect: [/^HTTP\/1\.1 200 OK\r\n/, /5 bytes$/],
  },
  {
    name: 'several requests',
    sent: request('/late') + request('/body') + request('/late'),
    expect: [/^HTTP\/1\.1 200 OK\r\n/, /late(?=HTTP)/, /0 bytes(?=HTTP)/, /late$/],
  },
  {
    name: 'a stream',
    sent: request('/stream'),
    expect: [/^HTTP\/1\.1 200 OK\r\n/, /first\r\n4\r\nlast\r\n0\r\n\r\n$/],
  },
  { name: 'no request', sent: '', expect: [/^$/] },
  {
    name: 'a body that is cut off',
    sent: request('/body', 'content-length: 9\r\n', 'hello'),
    expect: [/^HTTP\/1\.1 400 /],
  },
];

async function check(t: Test, { open }: Closing, { sent, expect }: Row): Promise<void> {
  const server = await start(t, byPath(routes));
  const text = await received(await open(server.port, sent));
  let from = 0;
  for (const part of expect) {
    const rest = text.slice(from);
    const found = part.exec(rest);
    t.ok(found, `${String(part)} in ${JSON.stringify(rest)}`);
    from += (found?.index ?? 0) + (found?.[0].length ?? 0);
  }
  await until('no requests are left', () => server.inFlight === 0);
}

for (const closing of closings)
  t.test(closing.name, async t => {
    for (const row of rows) await t.test(row.name, t => check(t, closing, row));
  });
