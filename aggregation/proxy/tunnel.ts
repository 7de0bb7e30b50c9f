import type { IncomingHttpHeaders } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Upgrade } from '../../apiserver/interface.js';
import { PeerProbe } from '../../lib/peer-probe.js';
import { IgnoredFrames } from './ignored-frames.js';

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
 * Milliseconds for which a client with a protocol of unknown frames may wait until the server takes what it has sent. as pkg/kubelet/apis/config/v1beta1
 * StreamingConnectionIdleTimeout
 */
const maxPauseMs = 4 * 60 * 60 * 1000;

interface Pauses {
  /** Milliseconds between two looks at a client that waits for the server. */
  readonly probeMs?: number;
  /** Milliseconds after which the connection of such a client is closed; `maxPauseMs` by default. */
  readonly maxMs?: number;
}

/**
 * Notices that the client is gone while it is not read, since the server does not take what it has sent: frames that it ignores are written to it. If the
 * protocol has no such frames, or the server has stopped in the middle of a frame, the connection is closed after some hours.
 */
function watchPauses({ socket: client }: Upgrade, { socket: server, headers }: Upgraded, limits: Pauses): void {
  const { probeMs, maxMs = maxPauseMs } = limits;
  const frames = IgnoredFrames.of(headers.upgrade ?? '');
  if (frames) server.on('data', (bytes: Buffer) => frames.passed(bytes));
  let pausedAt = 0;
  const probe = new PeerProbe(() => {
    const frame = frames?.next();
    if (performance.now() - pausedAt > maxMs) client.destroy();
    else if (frame && client.writableLength === 0) client.write(frame);
  }, probeMs);
  client.on('pause', () => {
    pausedAt = performance.now();
    probe.start();
  });
  client.on('resume', () => probe.stop()).on('close', () => probe.close());
}

/**
 * Pipes two connections that were upgraded to another protocol (exec, attach, port-forward) into each other. When one of them ends, the other one
 * gets what is on its way, and is closed. Resolves when both are closed; the signal closes them at once.
 */
export function tunnel(upgrade: Upgrade, upgraded: Upgraded, signal: AbortSignal, pauses: Pauses = {}): Promise<void> {
  const { socket: client, head } = upgrade;
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
    watchPauses(upgrade, upgraded, pauses);
    client.pipe(server);
    server.pipe(client);
  });
}
