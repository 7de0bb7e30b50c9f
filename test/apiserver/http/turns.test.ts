/** Requests that arrive faster than they are served: fairness between connections, reading, and clients that leave. */
import { once } from 'node:events';
import { performance } from 'node:perf_hooks';
import tls from 'node:tls';
import t, { type Test } from 'tap';
import { answer } from '../../../apiserver/http/answer.js';
import { type ApiServer, startApiServer } from '../../../apiserver/http/api-server.js';
import type { Request } from '../../../apiserver/http/request.js';
import { createAuthority, issueServing } from '../../../authn/pki/authority.js';
import { writeUntilBlocked } from './piecewise.js';

const authority = await createAuthority();
const serving = await issueServing(authority, ['localhost', '127.0.0.1']);

async function start(t: Test, serve: (request: Request) => void): Promise<ApiServer> {
  const server = await startApiServer({
    ...{ host: '127.0.0.1', port: 0, clientAuthorities: undefined },
    ...{ certificate: serving.certificate, key: serving.key },
    filters: [serve],
    onBug: (_, error) => t.fail(String(error)),
  });
  t.teardown(() => server.stop(0));
  return server;
}

/** Opens a connection; `answers` are the paths of the responses so far. */
async function connect(t: Test, { port }: ApiServer) {
  const socket = tls.connect({ host: '127.0.0.1', port, ca: authority.certificate, ALPNProtocols: ['http/1.1'] });
  t.teardown(() => socket.destroy());
  await once(socket, 'secureConnect');
  const answers: string[] = [];
  let text = '';
  let wake = (): void => undefined;
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString();
    const end = text.lastIndexOf('>') + 1;
    answers.push(...(text.slice(0, end).match(/<.*?>/g) ?? []));
    text = text.slice(end);
    wake();
  });
  return {
    socket,
    answers,
    ask(...paths: string[]): void {
      socket.write(paths.map(path => `GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`).join(''));
    },
    async received(count: number): Promise<void> {
      while (answers.length < count) await new Promise<void>(resolve => (wake = resolve));
    },
  };
}

function spend(milliseconds: number): void {
  const until = performance.now() + milliseconds;
  while (performance.now() < until);
}

const respond = (request: Request): void =>
  answer(request, 200, 'text/plain', Buffer.from(`<${request.exchange.path.slice(1)}>`));

t.test('pipelined requests do not delay other connections, and are answered in order', async t => {
  let served = 0;
  let before: number | undefined;
  const server = await start(t, request => {
    if (request.exchange.path === '/other') before = served;
    else served++;
    spend(2);
    respond(request);
  });
  const [greedy, other] = [await connect(t, server), await connect(t, server)];
  const paths = Array.from({ length: 300 }, (_, i) => `/${i}`);
  greedy.ask(...paths);
  await greedy.received(1);
  other.ask('/other');
  await other.received(1);
  t.ok(before !== undefined && before < 150, `${before} requests were served before it`);
  await greedy.received(paths.length);
  t.same(
    greedy.answers,
    paths.map(path => `<${path.slice(1)}>`),
  );
});

t.test('the next request of a connection begins when the former answer is sent', async t => {
  let running = 0;
  let most = 0;
  const server = await start(t, async request => {
    most = Math.max(most, ++running);
    await new Promise(setImmediate);
    running--;
    respond(request);
  });
  const one = await connect(t, server);
  one.ask(...Array.from({ length: 200 }, (_, i) => `/${i}`));
  await one.received(200);
  t.same(
    one.answers,
    Array.from({ length: 200 }, (_, i) => `<${i}>`),
  );
  t.equal(most, 1);
});

t.test('a socket is not read while many of its requests wait', async t => {
  let answerAll = (): void => undefined;
  const mayAnswer = new Promise<void>(resolve => (answerAll = resolve));
  const server = await start(t, async request => {
    await mayAnswer;
    respond(request);
  });
  const one = await connect(t, server);
  const line = `GET /${'x'.repeat(10_000)} HTTP/1.1\r\nhost: localhost\r\n\r\n`;
  const count = 2000;
  const left = await writeUntilBlocked(one.socket, Array<Buffer>(count).fill(Buffer.from(line)));
  t.ok(left < (count * 3) / 4, `${left} of ${count} requests have left`);
  answerAll();
  await one.received(count);
  t.equal(one.answers.length, count);
});

t.test('requests of a client that has left are not started', async t => {
  let served = 0;
  const server = await start(t, request => {
    served++;
    spend(20);
    if (served === 1) gone.socket.destroy();
    respond(request);
  });
  const gone = await connect(t, server);
  const other = await connect(t, server);
  gone.ask(...Array.from({ length: 200 }, (_, i) => `/${i}`));
  while (server.inFlight > 0 || served === 0) await new Promise(setImmediate);
  other.ask('/other');
  await other.received(1);
  t.ok(served < 100, `${served} were started`);
});

t.test('many concurrent handshakes all complete', async t => {
  const server = await start(t, respond);
  const all = await Promise.all(Array.from({ length: 100 }, () => connect(t, server)));
  for (const [i, one] of all.entries()) one.ask(`/${i}`);
  for (const [i, one] of all.entries()) {
    await one.received(1);
    t.same(one.answers, [`<${i}>`]);
  }
});
