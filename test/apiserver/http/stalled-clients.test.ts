import { once } from 'node:events';
import http2 from 'node:http2';
import net, { type AddressInfo } from 'node:net';
import { setImmediate as immediate } from 'node:timers/promises';
import t from 'tap';
import { http2Server } from '../../../apiserver/http/h2/server.js';
import { nobody } from '../../../apiserver/http/peer.js';
import { dropStalledClients } from '../../../apiserver/http/stalled-clients.js';
import { TurnQueue } from '../../../lib/turn-queue.js';

t.test('a session is idle when nothing was asked for a while, not when no request is seen', async t => {
  let now = 0;
  let looks = 0;
  const watch = dropStalledClients(20, 100, () => {
    looks++;
    return now;
  });
  t.teardown(() => watch.close());
  const sessions = http2Server({
    ...{ maxHeaderSize: 1 << 16, clock: () => now, stalled: watch },
    serve: exchange => exchange.respond(204, {}, undefined),
  });
  const server = net.createServer(socket => sessions.take(socket, { peer: nobody, lane: new TurnQueue().lane() }));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  const client = http2.connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  t.teardown(() => client.destroy());
  /** The sweep has seen the present. */
  const swept = async (): Promise<void> => {
    const until = looks + 2;
    while (looks < until) await immediate();
  };

  for (let request = 0; request < 5; request++) {
    const stream = client.request({ ':path': '/' }).resume();
    await once(stream, 'close');
    now += 80;
    await swept();
    t.notOk(client.closed, `in use at ${now}`);
  }
  const closed = once(client, 'close');
  now += 80;
  await closed;
  t.pass('unused, it goes');
});
