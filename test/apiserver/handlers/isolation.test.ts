/** Many users of one server read their own objects at once, over all transports and at different paces. None receives a byte of another one. */
import { once } from 'node:events';
import http2 from 'node:http2';
import https from 'node:https';
import type { Readable } from 'node:stream';
import { constants, gunzipSync } from 'node:zlib';
import t, { type Test } from 'tap';
import { WebSocket } from 'ws';
import { type Credential, issueClient } from '../../../authn/pki/authority.js';
import { until } from '../../storage/until.js';
import { httpClient } from '../http-client.js';
import { runningServer, type TestServer } from '../running.js';

const users = ['ada', 'ben', 'cleo', 'dora'];
/** Objects of each user: small ones, a large one, and a list that takes many pooled buffers. */
const smallObjects = 10;
const largeText = 300_000;
const listed = { count: 20, text: 30_000 };

/** Returns a text that consists of the user's name. */
const textOf = (user: string, length: number): string => user.repeat(Math.ceil(length / user.length)).slice(0, length);

/** Bytes at the start of a list that hold the revision of the store, which the server's own writes change. */
const listHeadBytes = 400;

const pathOf = (user: string): string => `/api/v1/namespaces/${user}`;

async function createObjects(t: Test, server: TestServer): Promise<void> {
  const ask = httpClient(t, server);
  const create = async (path: string, name: string, text: string): Promise<void> => {
    const { status } = await ask(`POST ${path}`, { body: { metadata: { name }, data: { text } } });
    if (status !== 201) throw new Error(`${path}/${name} was answered with ${status}`);
  };
  for (const user of users) {
    await ask('POST /api/v1/namespaces', { body: { metadata: { name: user } } });
    const configMaps = `${pathOf(user)}/configmaps`;
    const names = Array.from({ length: listed.count }, (_, index) => `${user}-${index}`);
    await Promise.all(names.map(name => create(configMaps, name, textOf(user, listed.text))));
    await create(configMaps, 'large', textOf(user, largeText));
    for (let n = 0; n < smallObjects; n++)
      await create(`${pathOf(user)}/secrets`, `small-${n}`, Buffer.from(textOf(user, 20 * n)).toString('base64'));
  }
}

interface Ask {
  readonly path: string;
  readonly accept?: string;
  readonly zipped?: true;
}

const protobuf = 'application/vnd.kubernetes.protobuf';

/** Everything that a user reads. */
const asksOf = (user: string): readonly Ask[] => [
  ...Array.from({ length: smallObjects }, (_, n) => ({ path: `${pathOf(user)}/secrets/small-${n}` })),
  { path: `${pathOf(user)}/configmaps/large` },
  { path: `${pathOf(user)}/configmaps/large`, accept: protobuf },
  { path: `${pathOf(user)}/configmaps` },
  { path: `${pathOf(user)}/configmaps`, accept: protobuf },
  { path: `${pathOf(user)}/configmaps`, zipped: true },
  { path: `${pathOf(user)}/secrets`, accept: 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io' },
  { path: `${pathOf(user)}/configmaps?limit=15` },
];

const headersOf = ({ accept = 'application/json', zipped }: Ask): Record<string, string> => ({
  accept,
  ...(zipped && { 'accept-encoding': 'gzip' }),
});

const turn = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

/** Reads a body, with turns of the event loop between the chunks. */
async function bodyOf(readable: Readable, turns: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of readable as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    for (let n = 0; n < turns; n++) await turn();
  }
  return Buffer.concat(chunks);
}

interface Client {
  /** Resolves to the body. `turns`: turns of the event loop to wait between two chunks. */
  read(ask: Ask, turns: number): Promise<Buffer>;
  /** Reads the beginning of the body, and leaves. Resolves to what was received. */
  abandon(ask: Ask): Promise<Buffer>;
}

type Trust = { readonly ca: string; readonly cert: string; readonly key: string };

/** Reads a body until there is more of it than the head of a list; reads a smaller body whole. */
async function readPart(readable: Readable): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of readable.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    if ((length += chunk.length) > 2 * listHeadBytes) break;
  }
  return Buffer.concat(chunks);
}

function http1Client(t: Test, { host, port }: TestServer, trust: Trust): Client {
  const agent = new https.Agent({ keepAlive: true, maxSockets: 4, ...trust });
  t.teardown(() => agent.destroy());
  const open = async (ask: Ask): Promise<Readable> => {
    const request = https.get({ host, port, path: ask.path, agent, headers: headersOf(ask) });
    request.on('error', () => undefined); // The client that leaves may get one.
    const [response] = (await once(request, 'response')) as [Readable];
    return response;
  };
  return {
    read: async (ask, turns) => bodyOf(await open(ask), turns),
    async abandon(ask) {
      const response = await open(ask);
      response.on('error', () => undefined);
      const part = await readPart(response);
      response.destroy();
      return part;
    },
  };
}

function http2Client(t: Test, { host, port }: TestServer, trust: Trust, initialWindowSize: number): Client {
  const session = http2.connect(`https://${host}:${port}`, { ...trust, settings: { initialWindowSize } });
  session.on('error', () => undefined);
  t.teardown(() => session.destroy());
  const open = (ask: Ask): http2.ClientHttp2Stream => session.request({ ':path': ask.path, ...headersOf(ask) });
  return {
    read: (ask, turns) => bodyOf(open(ask), turns),
    async abandon(ask) {
      const stream = open(ask);
      stream.on('error', () => undefined);
      const part = await readPart(stream);
      stream.close(http2.constants.NGHTTP2_CANCEL);
      return part;
    },
  };
}

const trustOf = ({ pki }: TestServer, { certificate, key }: Credential): Trust => ({
  ca: pki.authority.certificate,
  cert: certificate,
  key,
});

async function trusts(server: TestServer): Promise<ReadonlyMap<string, Trust>> {
  const entries = users.map(async name => {
    const credential = await issueClient(server.pki.authority, { name, groups: ['system:masters'] });
    return [name, trustOf(server, credential)] as const;
  });
  return new Map(await Promise.all(entries));
}

const isList = ({ path }: Ask): boolean => /\/(?:configmaps|secrets)(?:\?.*)?$/.test(path);

/** Returns a body, or the beginning of one, without what differs between two reads of the same objects. */
function comparable(ask: Ask, body: Buffer): Buffer {
  const plain = ask.zipped ? gunzipSync(body, { finishFlush: constants.Z_SYNC_FLUSH }) : body;
  return isList(ask) ? plain.subarray(listHeadBytes) : plain;
}

t.test('answers', async t => {
  const server = await runningServer(t);
  await createObjects(t, server);
  const trust = await trusts(server);
  const admin = http1Client(t, server, trustOf(server, server.pki.admin));
  const expected = new Map<string, Buffer>();
  const keyOf = (ask: Ask): string => JSON.stringify(ask);
  for (const user of users)
    for (const ask of asksOf(user)) {
      const body = await admin.read(ask, 0);
      const others = users.filter(other => other !== user);
      const plain = ask.zipped ? gunzipSync(body) : body;
      // Secrets hold their texts in base64.
      const hasOthers = others.some(
        other => plain.includes(other.repeat(2)) || plain.includes(Buffer.from(other.repeat(3)).toString('base64')),
      );
      t.notOk(hasOthers, `${ask.path} has the texts of ${user} alone`);
      expected.set(keyOf(ask), comparable(ask, body));
    }

  await Promise.all(
    users.map(async user => {
      const own = trust.get(user) as Trust;
      const clients: Readonly<Record<string, Client>> = {
        'HTTP/1.1': http1Client(t, server, own),
        'HTTP/2': http2Client(t, server, own, 1 << 20),
        'HTTP/2 with small windows': http2Client(t, server, own, 20_000),
      };
      const readings = Object.entries(clients).flatMap(([name, client]) =>
        [0, 3].map(async turns => {
          const isRight = async (ask: Ask): Promise<void> => {
            const body = await client.read(ask, turns);
            const whole = expected.get(keyOf(ask)) as Buffer;
            if (!comparable(ask, body).equals(whole)) t.fail(`${ask.path} over ${name}`, ask);
          };
          const isPart = async (ask: Ask): Promise<void> => {
            const part = comparable(ask, await client.abandon(ask));
            const whole = expected.get(keyOf(ask)) as Buffer;
            if (part.length === 0 && !ask.zipped) t.fail(`nothing of ${ask.path} over ${name}`, ask);
            if (!part.equals(whole.subarray(0, part.length))) t.fail(`the beginning of ${ask.path} over ${name}`, ask);
          };
          await Promise.all(asksOf(user).flatMap(ask => [isRight(ask), isPart(ask)]));
        }),
      );
      await Promise.all(readings);
      t.pass(`${user} has received what an undisturbed client receives`);
    }),
  );
});

/** Collects the events of a watch, which come as lines. */
class Events {
  readonly #texts: string[] = [];
  #rest = '';

  add(chunk: Buffer | string): void {
    const lines = (this.#rest + chunk.toString()).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) this.addEvent(line);
  }

  addEvent(line: string): void {
    const { object } = JSON.parse(line) as { readonly object: { readonly data?: { readonly text?: string } } };
    this.#texts.push(object.data?.text ?? '');
  }

  /** The texts of the objects, in their order. */
  get texts(): readonly string[] {
    return this.#texts;
  }
}

interface Watch {
  readonly events: Events;
  pause(): void;
  resume(): void;
}

const watchPath = (user: string): string => `${pathOf(user)}/configmaps?watch=1&fieldSelector=metadata.name%3Dwatched`;

async function watchHttp1(t: Test, { host, port }: TestServer, trust: Trust, user: string): Promise<Watch> {
  const request = https.get({ host, port, path: watchPath(user), agent: false, ...trust });
  t.teardown(() => request.destroy());
  const [response] = (await once(request, 'response')) as [Readable];
  const events = new Events();
  response.on('error', () => undefined).on('data', (chunk: Buffer) => events.add(chunk));
  return { events, pause: () => void response.pause(), resume: () => void response.resume() };
}

async function watchHttp2(t: Test, { host, port }: TestServer, trust: Trust, user: string): Promise<Watch> {
  const session = http2.connect(`https://${host}:${port}`, { ...trust, settings: { initialWindowSize: 20_000 } });
  session.on('error', () => undefined);
  t.teardown(() => session.destroy());
  const stream = session.request({ ':path': watchPath(user) });
  stream.on('error', () => undefined);
  const events = new Events();
  await once(stream, 'response');
  stream.on('data', (chunk: Buffer) => events.add(chunk));
  return { events, pause: () => void stream.pause(), resume: () => void stream.resume() };
}

async function watchWebSocket(t: Test, { port }: TestServer, trust: Trust, user: string): Promise<Watch> {
  const socket = new WebSocket(`wss://127.0.0.1:${port}${watchPath(user)}`, [], trust);
  t.teardown(() => socket.terminate());
  const events = new Events();
  socket.on('message', (message: Buffer) => events.addEvent(message.toString()));
  await once(socket, 'open');
  return { events, pause: () => socket.pause(), resume: () => socket.resume() };
}

t.test('watch events', async t => {
  const server = await runningServer(t);
  const ask = httpClient(t, server);
  const trust = await trusts(server);
  for (const user of users) await ask('POST /api/v1/namespaces', { body: { metadata: { name: user } } });
  const watches = await Promise.all(
    users.flatMap(user => {
      const own = trust.get(user) as Trust;
      return [watchHttp1, watchHttp2, watchWebSocket].map(async open => ({
        user,
        watch: await open(t, server, own, user),
        name: `${open.name} of ${user}`,
      }));
    }),
  );
  const lengths = Array.from({ length: 20 }, (_, n) => (n % 2 === 0 ? 100 + n : 100_000 + n));
  const isPaused = (index: number): boolean => index % 2 === 0;
  for (const [index, { watch }] of watches.entries()) if (isPaused(index)) watch.pause();
  await Promise.all(
    users.map(async user => {
      const path = `${pathOf(user)}/configmaps`;
      const body = (length: number) => ({ metadata: { name: 'watched' }, data: { text: textOf(user, length) } });
      for (const [n, length] of lengths.entries()) {
        const { status } = await ask(n === 0 ? `POST ${path}` : `PUT ${path}/watched`, { body: body(length) });
        if (status >= 300) t.fail(`${user} is answered with ${status}`);
      }
    }),
  );
  for (const { watch } of watches) watch.resume();
  for (const { user, watch, name } of watches) {
    await until(`${name} has all events`, () => watch.events.texts.length >= lengths.length);
    t.same(watch.events.texts, lengths.map(length => textOf(user, length)), name); // prettier-ignore
  }
});
