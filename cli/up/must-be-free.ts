import { once } from 'node:events';
import net from 'node:net';

/**
 * Rejects with the system's error when the address cannot be listened on: it is in use, or not one of this machine. For a start that must leave
 * no files behind when it fails. Another process may still take the address afterwards.
 */
export async function mustBeFree({ host, port }: { readonly host: string; readonly port: number }): Promise<void> {
  const server = net.createServer(socket => socket.destroy());
  server.listen({ host, port, exclusive: true });
  await once(server, 'listening');
  server.close();
  await once(server, 'close');
}
