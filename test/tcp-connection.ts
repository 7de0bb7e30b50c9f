import { once } from 'node:events';
import net from 'node:net';
import type { Test } from 'tap';

/** Returns both ends of a TCP connection, which are closed after the test. */
export async function tcpConnection(t: Test): Promise<{ client: net.Socket; server: net.Socket }> {
  const listener = net.createServer({ allowHalfOpen: true }).listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const client = net.connect({ port: (listener.address() as net.AddressInfo).port, host: '127.0.0.1' });
  const [server] = (await once(listener, 'connection')) as [net.Socket];
  t.teardown(() => {
    client.destroy();
    server.destroy();
    listener.close();
  });
  return { client, server };
}
