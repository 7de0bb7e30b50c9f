/** Connections over HTTP/1.1 with bodies in chunks are parsed in small pieces, and nothing is lost or out of order. */
import { once } from 'node:events';
import tls from 'node:tls';
import t, { type Test } from 'tap';
import { answer } from '../../../../apiserver/http/answer.js';
import type { ApiServer } from '../../../../apiserver/http/api-server.js';
import type { RequestFilter } from '../../../../apiserver/http/filters.js';
import { until } from '../../../storage/until.js';
import { identity, start } from '../h2/server.js';
import { writeUntilBlocked } from '../piecewise.js';

const limit = 3 << 20;

async function connect(t: Test, { port }: ApiServer) {
  const socket = tls.connect({ host: '127.0.0.1', port, ...identity, ALPNProtocols: ['http/1.1'] });
  socket.on('error', () => undefined);
  t.teardown(() => socket.destroy());
  await once(socket, 'secureConnect');
  let text = '';
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  return { socket, received: () => text };
}

const head = (path: string, ...headers: string[]): string =>
  [`POST ${path} HTTP/1.1`, 'host: localhost', ...headers, '', ''].join('\r\n');
const chunked = 'transfer-encoding: chunked';

/** Returns the body in chunks of one to five bytes. */
function inChunks(body: string): string {
  let text = '';
  for (let from = 0; from < body.length;) {
    const size = (from % 5) + 1;
    const part = body.slice(from, from + size);
    text += `${part.length}\r\n${part}\r\n`;
    from += size;
  }
  return `${text}0\r\n\r\n`;
}

const letters = (length: number): string =>
  Array.from({ length }, (_, i) => String.fromCharCode(97 + (i % 23))).join('');

/** Answers with the path, the length of the body, and whether it consists of `letters`. */
const judge: RequestFilter = async request => {
  const body = (await request.exchange.body(limit)).toString();
  answer(
    request,
    200,
    undefined,
    Buffer.from(`<${request.exchange.path} ${body.length} ${body === letters(body.length)}>`),
  );
};

const answers = (text: string): readonly string[] => text.match(/<.*?>/g) ?? [];

t.test('a body in very many chunks arrives whole', async t => {
  const server = await start(t, judge);
  const { socket, received } = await connect(t, server);
  socket.write(head('/a', chunked, 'connection: close') + inChunks(letters(200_000)));
  await once(socket, 'close');
  t.same(answers(received()), ['</a 200000 true>']);
});

t.test('requests that follow in the same bytes are served in their order', async t => {
  const server = await start(t, judge);
  const { socket, received } = await connect(t, server);
  const plain = (path: string): string => `${head(path, 'content-length: 20000')}${letters(20_000)}`;
  socket.write(
    `${plain('/1')}${head('/2', chunked)}${inChunks(letters(30_000))}${plain('/3')}` +
      `${head('/4', chunked)}${inChunks(letters(50_000))}${head('/5')}`,
  );
  await until('five answers', () => answers(received()).length === 5);
  t.same(answers(received()), [
    '</1 20000 true>',
    '</2 30000 true>',
    '</3 20000 true>',
    '</4 50000 true>',
    '</5 0 true>',
  ]);
});

t.test('very many requests that wait are served after a body in chunks', async t => {
  const server = await start(t, judge);
  const { socket, received } = await connect(t, server);
  socket.write(`${head('/first', chunked)}${inChunks(letters(30_000))}${head('/x').repeat(3000)}`);
  await until('all answers', () => answers(received()).length >= 3001);
  t.same([...new Set(answers(received()))], ['</first 30000 true>', '</x 0 true>']);
  t.equal(answers(received()).length, 3001);
});

t.test('a body that is not read stops the reading of its connection, and is read on later', async t => {
  let read = (): void => undefined;
  const mayRead = new Promise<void>(resolve => (read = resolve));
  const server = await start(t, async request => {
    await mayRead;
    let size = 0;
    for await (const piece of request.exchange.incoming() ?? []) size += piece.length;
    answer(request, 200, undefined, Buffer.from(`<${size}>`));
  });
  const { socket, received } = await connect(t, server);
  // More than the buffers of both sides hold.
  const batch = Buffer.from('a\r\n0123456789\r\n'.repeat(4000));
  const batches = 200;
  const pieces = [Buffer.from(head('/a', chunked)), ...Array<Buffer>(batches).fill(batch), Buffer.from('0\r\n\r\n')];
  const left = await writeUntilBlocked(socket, pieces);
  t.ok(left < (batches * 3) / 4, `${left} of ${batches} batches have left`);
  read();
  await until('the answer', () => answers(received()).length === 1);
  t.same(answers(received()), [`<${batches * 40_000}>`]);
});

t.test('an upgrade after a body in chunks gets all bytes that follow it', async t => {
  const length = 100_000;
  const server = await start(t, async request => {
    if (request.exchange.upgrades === undefined) return judge(request);
    const upgrade = request.exchange.takeOver();
    if (!upgrade) return;
    let text = upgrade.head.toString();
    upgrade.socket.write('HTTP/1.1 101 Switching Protocols\r\n\r\n');
    upgrade.socket.on('data', (bytes: Buffer) => {
      text += bytes.toString();
      if (text.length === length) upgrade.socket.end(`<upgraded ${text === letters(length)}>`);
    });
    if (text.length === length) upgrade.socket.end(`<upgraded ${text === letters(length)}>`);
  });
  const { socket, received } = await connect(t, server);
  socket.write(`${head('/a', chunked)}${inChunks(letters(30_000))}`);
  await until('the answer', () => answers(received()).length === 1);
  socket.write(`${head('/b', 'connection: upgrade', 'upgrade: test')}${letters(length)}`);
  await once(socket, 'close');
  t.same(answers(received()), ['</a 30000 true>', '<upgraded true>']);
});

t.test('bytes that are no chunk are refused', async t => {
  const server = await start(t, judge);
  const { socket, received } = await connect(t, server);
  socket.write(`${head('/a', chunked)}${'1\r\nx\r\n'.repeat(20_000)}no chunk\r\n`);
  await once(socket, 'close');
  t.match(received(), /^HTTP\/1\.1 400 Bad Request\r\n/);
});
