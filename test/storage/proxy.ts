import { once } from 'node:events';
import net from 'node:net';
import type { Test } from 'tap';

export interface Proxy {
  readonly endpoint: string;
  /** Cuts every connection now. */
  cut(): void;
  /** Bytes to the client after which a connection is cut; undefined for never. */
  cutAfter: number | undefined;
  /** While true, nothing is sent to the client. */
  deaf: boolean;
  /** Number of cut connections. */
  readonly cuts: number;
}

/** Starts a TCP proxy on loopback that cuts connections on demand. */
export async function startProxy(t: Test, target: string): Promise<Proxy> {
  const { hostname, port } = new URL(target);
  const open = new Set<net.Socket>();
  let cuts = 0;
  const proxy = {
    endpoint: '',
    cutAfter: undefined as number | undefined,
    deaf: false,
    get cuts() {
      return cuts;
    },
    cut() {
      for (const socket of open) {
        cuts++;
        socket.destroy();
      }
    },
  };
  const server = net.createServer(client => {
    const upstream = net.connect(Number(port), hostname);
    open.add(client);
    let carried = 0;
    client.pipe(upstream);
    upstream.on('data', chunk => {
      if (proxy.deaf) return;
      client.write(chunk);
      carried += chunk.length;
      if (proxy.cutAfter === undefined || carried < proxy.cutAfter) return;
      cuts++;
      client.destroy();
    });
    const end = (): void => {
      open.delete(client);
      client.destroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) {
      socket.on('error', end);
      socket.on('close', end);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  proxy.endpoint = `http://127.0.0.1:${(server.address() as net.AddressInfo).port}`;
  t.teardown(() => {
    server.close();
    proxy.cut();
  });
  return proxy;
}
