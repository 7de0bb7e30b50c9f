import type { IncomingHttpHeaders } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Upgrade } from '../../apiserver/interface.js';

interface Upgraded {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly socket: Duplex;
}

/** Returns the head of the answer to an upgrade as HTTP/1.1 text. */
function headOf({ status, headers }: Upgraded): string {
  let head = `HTTP/1.1 ${status} Switching Protocols\r\n`;
  for (const [name, value] of Object.entries(headers))
    for (const each of [value ?? []].flat()) head += `${name}: ${each}\r\n`;
  return `${head}\r\n`;
}

/**
 * Pipes two connections that were upgraded to another protocol (exec, attach, port-forward) into each other. Resolves when one of them
 * ends or the signal aborts.
 */
export function tunnel({ socket: client, head }: Upgrade, upgraded: Upgraded, signal: AbortSignal): Promise<void> {
  const { socket: server } = upgraded;
  return new Promise(resolve => {
    const end = (): void => {
      signal.removeEventListener('abort', end);
      client.destroy();
      server.destroy();
      resolve();
    };
    for (const side of [client, server]) side.on('error', end).on('close', end);
    signal.addEventListener('abort', end);
    if (signal.aborted || client.destroyed || server.destroyed) return end();
    client.write(Buffer.from(headOf(upgraded), 'latin1'));
    if (head.length > 0) server.write(head);
    client.pipe(server);
    server.pipe(client);
  });
}
