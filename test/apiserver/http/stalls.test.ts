import { once } from 'node:events';
import http2 from 'node:http2';
import type { AddressInfo } from 'node:net';
import { setImmediate as immediate } from 'node:timers/promises';
import t from 'tap';
import { stalls } from '../../../apiserver/http/stalls.js';

t.test('a session is idle when nothing was asked for a while, not when no request is seen', async t => {
  let now = 0;
  let looks = 0;
  const watch = stalls(20, 100, () => {
    looks++;
    return now;
  });
  t.teardown(() => watch.close());
  const server = http2.createServer();
  server.on('session', session => watch.session(session));
  server.on('stream', stream => {
    if (stream.session) watch.stream(stream.session as http2.ServerHttp2Session, stream);
    stream.respond({ ':status': 204 }, { endStream: true });
  });
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
