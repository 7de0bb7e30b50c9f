/** An HTTP proxy that opens tunnels. */
import { once } from 'node:events';
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import net, { type AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Test } from 'tap';

interface Tunnel {
  /** The host and port of the server. */
  readonly to: string | undefined;
  readonly headers: IncomingMessage['headers'];
  /** Names and values as they were sent. */
  readonly rawHeaders: readonly string[];
}

interface ConnectProxy {
  readonly url: string;
  /** The tunnels that were asked for so far. */
  readonly tunnels: readonly Tunnel[];
  /** The status of the answers to requests for a tunnel; only 200 opens one. */
  status: number;
  stop(): void;
}

/** `own`: the certificate and key with which it is reached over HTTPS. */
export async function connectProxy(
  t: Test,
  own?: { readonly cert: string; readonly key: string },
): Promise<ConnectProxy> {
  const tunnels: Tunnel[] = [];
  const server = own ? https.createServer(own) : http.createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const proxy: ConnectProxy = {
    url: `http${own ? 's' : ''}://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ...{ tunnels, status: 200 },
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
  server.on('connect', ({ url, headers, rawHeaders }: IncomingMessage, client: Duplex, head: Buffer) => {
    tunnels.push({ to: url, headers, rawHeaders });
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
