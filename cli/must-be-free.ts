import { once } from 'node:events';
import net from 'node:net';

/**
 * Rejects with the system's error when nothing can listen at the address: it is in use, or not one of this machine. For a start that must leave no
 * files behind when it fails. Somebody else may still be quicker afterwards.
 */
export async function mustBeFree({ host, port }: { readonly host: string; readonly port: number }): Promise<void> {
  const probe = net.createServer(socket => socket.destroy());
  probe.listen({ host, port, exclusive: true });
  await once(probe, 'listening');
  probe.close();
  await once(probe, 'close');
}
