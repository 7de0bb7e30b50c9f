/** An HTTP proxy that opens tunnels. */
import { once } from 'node:events';
import http, { type IncomingMessage } from 'node:http';
import net, { type AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Test } from 'tap';

interface Tunnel {
  /** The host and port of the server. */
  readonly to: string | undefined;
  readonly headers: IncomingMessage['headers'];
}

interface ConnectProxy {
  readonly url: string;
  /** The tunnels that were asked for so far. */
  readonly tunnels: readonly Tunnel[];
  /** The status of the answers to requests for a tunnel; only 200 opens one. */
  status: number;
  stop(): void;
}

export async function connectProxy(t: Test): Promise<ConnectProxy> {
  const tunnels: Tunnel[] = [];
  const server = http.createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const proxy: ConnectProxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ...{ tunnels, status: 200 },
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
  server.on('connect', ({ url, headers }: IncomingMessage, client: Duplex, head: Buffer) => {
    tunnels.push({ to: url, headers });
    client.on('error', () => undefined);
    if (proxy.status !== 200) return void client.end(`HTTP/1.1 ${proxy.status} No\r\n\r\n`);
    const { hostname, port } = new URL(`http://${url}`);
    const target = net.connect(Number(port), hostname, () => {
      client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      target.write(head);
      target.pipe(client).pipe(target);
    });
    target.on('error', () => client.destroy());
  });
  t.teardown(() => proxy.stop());
  return proxy;
}
