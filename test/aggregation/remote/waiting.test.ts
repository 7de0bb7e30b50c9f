/** The number of requests that wait for a connection to another server is limited. */
import { once } from 'node:events';
import net from 'node:net';
import t from 'tap';
import { remote } from '../../../aggregation/remote/client.js';
import { maxWaiting } from '../../../aggregation/remote/limits.js';
import { isTooManyRequests } from '../../../apimachinery/errors/status.js';

t.test('a request that is one too many to wait is refused, and may be tried again', async t => {
  const sockets = new Set<net.Socket>();
  const server = net.createServer(socket => {
    socket.on('error', () => undefined);
    sockets.add(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  const { port } = server.address() as net.AddressInfo;
  const client = remote({ server: `http://127.0.0.1:${port}` }, { userAgent: 'test/1.0', connections: 2, attempts: 1 });
  const get = (): Promise<unknown> => client.raw({ method: 'GET', path: '/version' });
  const waiting = Array.from({ length: 2 + maxWaiting }, () => get().catch((error: unknown) => error));
  const refusal = await get().then(
    () => undefined,
    (error: unknown) => error,
  );
  t.ok(isTooManyRequests(refusal));
  t.match(refusal, {
    status: {
      message: `too many requests wait for http://127.0.0.1:${port}, please try again later`,
      details: { retryAfterSeconds: 1 },
    },
  });
  await client.close();
  for (const error of await Promise.all(waiting)) if (isTooManyRequests(error)) t.fail('an earlier request is refused');
  for (const socket of sockets) socket.destroy();
});
