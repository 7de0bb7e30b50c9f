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

/** Milliseconds in which a side takes what the other one sent before it closed its connection. */
const lastBytesMs = 30_000;

/**
 * Pipes two connections that were upgraded to another protocol (exec, attach, port-forward) into each other. When one of them ends, the other one
 * gets what is on its way, and is closed. Resolves when both are closed; the signal closes them at once.
 */
export function tunnel({ socket: client, head }: Upgrade, upgraded: Upgraded, signal: AbortSignal): Promise<void> {
  const { socket: server } = upgraded;
  return new Promise(resolve => {
    let timer: NodeJS.Timeout | undefined;
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      client.destroy();
      server.destroy();
      resolve();
    };
    const closeAfter = (side: Duplex, other: Duplex): void => {
      side.on('error', end);
      side.on('close', () => {
        if (other.destroyed || other.writableFinished) return end();
        timer ??= setTimeout(end, lastBytesMs);
        other.end(end);
      });
    };
    closeAfter(client, server);
    closeAfter(server, client);
    signal.addEventListener('abort', end);
    if (signal.aborted || client.destroyed || server.destroyed) return end();
    client.write(Buffer.from(headOf(upgraded), 'latin1'));
    if (head.length > 0) server.write(head);
    client.pipe(server);
    server.pipe(client);
  });
}
