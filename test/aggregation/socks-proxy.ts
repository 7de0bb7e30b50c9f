/** A SOCKS proxy (RFC 1928). */
import { once } from 'node:events';
import net, { type AddressInfo, type Socket } from 'node:net';
import type { Test } from 'tap';

interface SocksProxy {
  /** Without an account. */
  readonly address: string;
  /** The servers that it was asked for so far: `ipv4 127.0.0.1:6443`, `name localhost:6443`. */
  readonly asked: readonly string[];
  /** The accounts that were sent so far: `user:password`. */
  readonly accounts: readonly string[];
  /** The code of its replies; only 0 opens a connection. */
  reply: number;
  stop(): void;
}

/** Yields exactly the wanted numbers of bytes of a socket; the rest stays in the socket. */
async function take(socket: Socket, count: number): Promise<Buffer> {
  for (;;) {
    const bytes = socket.read(count) as Buffer | null;
    if (bytes !== null) return bytes;
    if (socket.destroyed || socket.readableEnded) throw new Error('the client is gone');
    await Promise.race([once(socket, 'readable'), once(socket, 'close')]);
  }
}

async function readAddress(
  socket: Socket,
): Promise<{ readonly text: string; readonly host: string; readonly port: number }> {
  const type = (await take(socket, 1))[0];
  let host: string;
  if (type === 1) host = (await take(socket, 4)).join('.');
  else if (type === 4) {
    const bytes = await take(socket, 16);
    host = Array.from({ length: 8 }, (_, i) => bytes.readUInt16BE(i * 2).toString(16)).join(':');
  } else host = (await take(socket, (await take(socket, 1))[0] ?? 0)).toString();
  const port = (await take(socket, 2)).readUInt16BE();
  return { text: `${type === 1 ? 'ipv4' : type === 4 ? 'ipv6' : 'name'} ${host}:${port}`, host, port };
}

/** Starts a proxy that requires an account if there is one. */
export async function socksProxy(t: Test, account?: string): Promise<SocksProxy> {
  const [asked, accounts]: string[][] = [[], []];
  const sockets = new Set<Socket>();
  const serve = async (client: Socket): Promise<void> => {
    const [, count = 0] = await take(client, 2);
    const methods = await take(client, count);
    const method = account === undefined ? 0 : methods.includes(2) ? 2 : 0xff;
    client.write(Buffer.from([5, method]));
    if (method === 0xff) return void client.end();
    if (method === 2) {
      const user = await take(client, (await take(client, 2))[1] ?? 0);
      const password = await take(client, (await take(client, 1))[0] ?? 0);
      accounts?.push(`${user.toString()}:${password.toString()}`);
      const isKnown = accounts?.at(-1) === account;
      client.write(Buffer.from([1, isKnown ? 0 : 1]));
      if (!isKnown) return void client.end();
    }
    await take(client, 3);
    const { text, host, port } = await readAddress(client);
    asked?.push(text);
    const answer = Buffer.from([5, proxy.reply, 0, 3, 4, ...Buffer.from('here'), 0, 80]);
    if (proxy.reply !== 0) return void client.end(answer);
    const server = net.connect(port, host);
    sockets.add(server.on('error', () => client.destroy()));
    await once(server, 'connect');
    client.write(answer);
    client.pipe(server).pipe(client);
    client.on('close', () => server.destroy());
  };
  const listener = net.createServer(client => {
    sockets.add(client.on('error', () => undefined));
    serve(client).catch(() => client.destroy());
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const proxy: SocksProxy = {
    address: `127.0.0.1:${(listener.address() as AddressInfo).port}`,
    ...{ asked: asked ?? [], accounts: accounts ?? [], reply: 0 },
    stop() {
      for (const socket of sockets) socket.destroy();
      listener.close();
    },
  };
  t.teardown(() => proxy.stop());
  return proxy;
}
