import { once } from 'node:events';
import http2 from 'node:http2';
import net, { type AddressInfo } from 'node:net';
import { setImmediate as immediate } from 'node:timers/promises';
import t from 'tap';
import { ChunkCopies } from '../../../../apiserver/http/chunk-copies.js';
import { http2Server } from '../../../../apiserver/http/h2/server.js';
import { StalledClients } from '../../../../apiserver/http/connections/stalled-clients.js';
import { TurnQueue } from '../../../../lib/turn-queue.js';

t.test('a session is idle when it had no request for a while, even if none was seen during the checks', async t => {
  let now = 0;
  let checks = 0;
  const watch = new StalledClients(20, 100, () => {
    checks++;
    return now;
  });
  t.teardown(() => watch.close());
  const sessions = http2Server({
    ...{ maxHeaderSize: 1 << 16, clock: () => now, stalled: watch },
    serve: exchange => exchange.respond(204, {}, undefined),
  });
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
  const client = http2.connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  t.teardown(() => client.destroy());
  /** Waits until a check has used the current time. */
  const checked = async (): Promise<void> => {
    const until = checks + 2;
    while (checks < until) await immediate();
  };

  for (let request = 0; request < 5; request++) {
    const stream = client.request({ ':path': '/' }).resume();
    await once(stream, 'close');
    now += 80;
    await checked();
    t.notOk(client.closed, `in use at ${now}`);
  }
  const closed = once(client, 'close');
  now += 80;
  await closed;
  t.pass('an unused session is closed');
});
