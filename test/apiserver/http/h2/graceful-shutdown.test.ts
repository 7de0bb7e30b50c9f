/** Sessions that end while requests arrive: requests that the server received before the client got GOAWAY are answered. */
import { once } from 'node:events';
import tls from 'node:tls';
import t, { type Test } from 'tap';
import { startApiServer } from '../../../../apiserver/http/api-server.js';
import { answerValue } from '../../../../apiserver/http/answer.js';
import { filters } from '../../../../apiserver/http/filters.js';
import { createAuthority, issueClient, issueServing } from '../../../../authn/pki/authority.js';
import { flags, frame, FrameReader, frameTypes, preface, settingsFrame } from '../../../../lib/http2/frames.js';
import { HeaderReader, HeaderWriter } from '../../../../lib/http2/hpack.js';
import { allowAll } from '../../allow-all.js';

const authority = await createAuthority();
const serving = await issueServing(authority, ['localhost', '127.0.0.1']);
const alice = await issueClient(authority, { name: 'alice', groups: [] });
const known = { cert: alice.certificate, key: alice.key };

async function start(t: Test): Promise<number> {
  const server = await startApiServer({
    ...{ host: '127.0.0.1', port: 0, clientAuthorities: authority.certificate },
    ...{ certificate: serving.certificate, key: serving.key },
    filters: filters({
      authenticate: ({ certificate, headers }) =>
        headers.authorization === undefined
          ? { name: certificate ? 'alice' : 'system:anonymous', groups: [] }
          : undefined,
      impersonate: () => Promise.resolve(undefined),
      authorize: allowAll,
      limit: () => undefined,
      route: async request => {
        await request.exchange.body(1 << 20);
        answerValue(request, 200, {});
      },
      requestTimeoutMs: 60_000,
    }),
    onBug: (_, error) => t.fail(String(error)),
  });
  t.teardown(() => server.stop(0));
  return server.port;
}

const clientOf = (port: number): tls.ConnectionOptions => ({
  ...{ host: '127.0.0.1', port, servername: 'localhost', ca: authority.certificate, ALPNProtocols: ['h2'] },
});

interface Received {
  /** Status by stream, or that it was reset. */
  readonly streams: Record<number, string>;
  /** The last stream id of each GOAWAY. */
  readonly goAways: readonly number[];
}

/** Sends bytes in one packet, and returns what arrives until the server ends the connection. */
async function received(t: Test, port: number, identity: tls.ConnectionOptions, bytes: Buffer): Promise<Received> {
  const streams: Record<number, string> = {};
  const goAways: number[] = [];
  const reader = new FrameReader();
  const headers = new HeaderReader();
  const socket = tls.connect({ ...clientOf(port), ...identity });
  t.teardown(() => socket.destroy());
  socket.on('error', () => undefined);
  socket.on('data', (chunk: Buffer) =>
    reader.push(chunk, ({ type, stream, payload }) => {
      if (type === frameTypes.headers) streams[stream] = headers.read(payload)[0]?.value ?? '';
      if (type === frameTypes.resetStream) streams[stream] = `reset: ${payload.readUInt32BE(0)}`;
      if (type === frameTypes.goAway) goAways.push(payload.readUInt32BE(0));
    }),
  );
  await once(socket, 'secureConnect');
  socket.write(bytes);
  await once(socket, 'close');
  return { streams, goAways };
}

/** Returns a GOAWAY of the client, which has seen no server streams, with an error code. */
const goAwayFor = (code: number): Buffer => frame(frameTypes.goAway, 0, 0, Buffer.from([0, 0, 0, 0, 0, 0, 0, code]));
const goAway = goAwayFor(0);
const ids = Array.from({ length: 10 }, (_, index) => 2 * index + 1);

const requests = (authorization: string | undefined, between: Buffer): Buffer => {
  const writer = new HeaderWriter();
  const own = { ':method': 'GET', ':scheme': 'https', ':authority': 'x', ':path': '/x' };
  const fields = { ...own, ...(authorization !== undefined && { authorization }) };
  const block = () =>
    writer.write(
      'request',
      Object.entries(fields).map(([name, value]) => ({ name, value })),
    );
  const sent = ids.map(id => frame(frameTypes.headers, flags.endStream | flags.endHeaders, id, block()));
  return Buffer.concat([preface, settingsFrame([]), ...sent.slice(0, 1), between, ...sent.slice(1)]);
};

t.test('requests in the same packet as the end of their session', async t => {
  const port = await start(t);
  const rows = [
    { name: 'of an unauthenticated client', identity: {}, bytes: requests(undefined, Buffer.alloc(0)), status: '200' },
    {
      name: 'of a client with invalid credentials',
      identity: known,
      bytes: requests('Bearer no', Buffer.alloc(0)),
      status: '401',
    },
    { name: 'after a GOAWAY', identity: known, bytes: requests(undefined, goAway), status: '200' },
  ];
  for (const { name, identity, bytes, status } of rows) {
    const { streams, goAways } = await received(t, port, identity, bytes);
    t.strictSame(streams, Object.fromEntries(ids.map(id => [id, status])), `${name}: each is answered`);
    t.strictSame(goAways, [2 ** 31 - 1, ids.at(-1)], `${name}: GOAWAY has the last stream id`);
  }
});

/** Returns uploads, a GOAWAY with an error, and more uploads, in several TLS records. */
function brokenOff(): Buffer {
  const writer = new HeaderWriter();
  const own = { ':method': 'POST', ':scheme': 'https', ':authority': 'x', ':path': '/x' };
  const upload = (id: number, last: number = flags.endStream): Buffer[] => [
    frame(
      frameTypes.headers,
      flags.endHeaders,
      id,
      writer.write(
        'request',
        Object.entries(own).map(([name, value]) => ({ name, value })),
      ),
    ),
    frame(frameTypes.data, last, id, Buffer.alloc(16_000, ' ')),
  ];
  return Buffer.concat([
    ...[preface, settingsFrame([]), ...upload(1), ...upload(3, 0), ...upload(5, 0), goAwayFor(2)],
    ...[...upload(7, 0), ...upload(9, 0)],
  ]);
}

t.test('uploads after a GOAWAY with an error by clients that disconnect', async t => {
  const port = await start(t);
  const bytes = brokenOff();
  for (let turn = 0; turn < 30; turn++) {
    const socket = tls.connect({ ...clientOf(port), ...known });
    socket.on('error', () => undefined);
    await once(socket, 'secureConnect');
    socket.write(bytes);
    for (let pause = turn % 10; pause > 0; pause--) await new Promise(setImmediate);
    socket.destroy();
    await once(socket, 'close');
  }
  const { streams } = await received(t, port, known, requests(undefined, goAway));
  t.equal(streams[1], '200', 'other clients are served');
});
