import { once } from 'node:events';
import http2 from 'node:http2';
import net, { type AddressInfo } from 'node:net';
import { setImmediate as immediate } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { ChunkCopies } from '../../../../apiserver/http/chunk-copies.js';
import { http2Server } from '../../../../apiserver/http/h2/server.js';
import { StalledClients } from '../../../../apiserver/http/connections/stalled-clients.js';
import { until } from '../../../storage/until.js';
import { TurnQueue } from '../../../../lib/turn-queue.js';

/** Serves HTTP/2 on a port, and returns a client of it, and the sessions. */
async function connected(
  t: Test,
  { stalled, clock, serve }: Pick<Parameters<typeof http2Server>[0], 'stalled' | 'clock' | 'serve'>,
  settings: http2.Settings = {},
) {
  const sessions = http2Server({ maxHeaderSize: 1 << 16, clock, stalled, serve });
  const server = net.createServer(socket =>
    sessions.take(socket, {
      peer: { certificate: undefined, address: '', network: '' },
      lane: new TurnQueue().lane(),
      copies: new ChunkCopies(),
    }),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  const client = http2.connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, { settings });
  t.teardown(() => client.destroy());
  return { client, sessions };
}

/** Returns what looks for stalled clients every 20 ms, with a clock that stands still until it is set, and counts how often it is read. */
function watching(t: Test, idleMs: number) {
  const time = { now: 0, checks: 0 };
  const stalled = new StalledClients(20, idleMs, () => {
    time.checks++;
    return time.now;
  });
  t.teardown(() => stalled.close());
  return { time, stalled };
}

t.test('a session is idle when it had no request for a while, even if none was seen during the checks', async t => {
  const { time, stalled } = watching(t, 100);
  const { client } = await connected(t, {
    ...{ clock: () => time.now, stalled },
    serve: exchange => exchange.respond(204, {}, undefined),
  });
  /** Waits until a check has used the current time. */
  const checked = async (): Promise<void> => {
    const until = time.checks + 2;
    while (time.checks < until) await immediate();
  };

  for (let request = 0; request < 5; request++) {
    const stream = client.request({ ':path': '/' }).resume();
    await once(stream, 'close');
    time.now += 80;
    await checked();
    t.notOk(client.closed, `in use at ${time.now}`);
  }
  const closed = once(client, 'close');
  time.now += 80;
  await closed;
  t.pass('an unused session is closed');
});

t.test('only streams whose complete answers wait for the client are looked at, and reset', async t => {
  const { time, stalled } = watching(t, 1e6);
  const body = Buffer.alloc(1000);
  const { client, sessions } = await connected(
    t,
    {
      ...{ clock: () => time.now, stalled },
      serve(exchange) {
        if (exchange.path === '/whole') exchange.respond(200, {}, body);
        else exchange.stream(200, {}).write(body);
      },
    },
    { initialWindowSize: 0 },
  );
  const begin = async (path: string): Promise<http2.ClientHttp2Stream> => {
    const stream = client.request({ ':path': path }).on('error', () => undefined);
    await once(stream, 'response');
    return stream;
  };
  const watches = [await begin('/watch'), await begin('/watch')];
  const whole = await begin('/whole');
  const [session] = sessions.sessions.values();
  t.equal(session?.streams.size, 3);
  t.equal(session?.waitingStreams.size, 1);
  const known = time.checks;
  await until('it is looked at', () => time.checks > known + 1);
  const closed = new Promise(resolve => whole.once('close', resolve));
  time.now = 100;
  await closed;
  t.equal(whole.rstCode, http2.constants.NGHTTP2_INTERNAL_ERROR);
  t.equal(session?.waitingStreams.size, 0);
  t.ok(watches.every(watch => !watch.closed));
});
