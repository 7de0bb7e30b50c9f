/** Serves watches over WebSocket, and accepts other connections of WebSockets. Nothing else imports ws. */
import type { WebSocket } from 'ws';
import { PeerProbe } from '../../../lib/peer-probe.js';
import { ExpectedError } from '../../../lib/logging/cause.js';
import { plainProtocols } from '../../../authn/identity/bearer.js';
import type { ResponseStream } from '../../interface.js';
import { paced, type PacedUpgrade } from './paced-upgrade.js';
import type { Request } from '../request.js';

/** Reports whether a request asks for an upgrade to WebSocket. as apimachinery/pkg/util/httpstream/wsstream IsWebSocketRequest */
export const isWebSocket = (request: Request): boolean => request.header('upgrade')?.toLowerCase() === 'websocket';

/** Bytes of the length before a frame of protobuf. WebSocket messages have their own length. */
const lengthBytes = 4;

export type { WebSocket };

/** Maximum bytes of a message. Clients send at most some tens of KiB at once. */
const maxMessageBytes = 1024 * 1024;

/** Answers an upgrade with a subprotocol; '' for none. */
export async function acceptWebSocket({ request, socket, head }: PacedUpgrade, protocol: string): Promise<WebSocket> {
  // The import is dynamic since few clients use WebSockets.
  const { WebSocketServer } = await import('ws');
  const server = new WebSocketServer({ noServer: true, clientTracking: false, maxPayload: maxMessageBytes });
  // ws refuses protocols with a slash, such as SPDY/3.1+portforward.k8s.io.
  delete request.headers['sec-websocket-protocol'];
  if (protocol !== '') server.on('headers', headers => headers.push(`Sec-WebSocket-Protocol: ${protocol}`));
  const open = await new Promise<WebSocket | undefined>(resolve => {
    // An invalid handshake is answered, and closes the socket.
    socket.once('close', () => resolve(undefined));
    server.handleUpgrade(request, socket, head, resolve);
  });
  if (!open) throw new ExpectedError('the handshake of a WebSocket is invalid');
  open.on('error', () => open.terminate());
  return open;
}

/**
 * Pauses and resumes the reading of a WebSocket. During a pause, unsolicited pongs show whether the client is still there. as RFC 6455, section 5.5.3
 */
export class WebSocketPauses {
  readonly #socket: WebSocket;
  readonly #probe: PeerProbe;

  /** `probeMs`: milliseconds of a pause after which such a pong is sent. */
  constructor(socket: WebSocket, probeMs?: number) {
    this.#socket = socket;
    this.#probe = new PeerProbe(() => this.#write(), probeMs);
    socket.on('close', () => this.#probe.close());
  }

  pause(): void {
    this.#socket.pause();
    if (this.#socket.readyState === this.#socket.OPEN) this.#probe.start();
  }

  resume(): void {
    this.#probe.stop();
    this.#socket.resume();
  }

  #write(): void {
    const { readyState, OPEN, bufferedAmount } = this.#socket;
    if (readyState === OPEN && bufferedAmount === 0) this.#socket.pong();
  }
}

/** Returns a stream whose chunks are WebSocket messages, text or binary; undefined when the request is no upgrade. */
export async function openWebSocket(request: Request, binary: boolean): Promise<ResponseStream | undefined> {
  const taken = request.exchange.takeOver();
  if (!taken) return undefined;
  const upgrade = paced(taken);
  const { socket } = upgrade;
  const [protocol = ''] = plainProtocols(request.headers);
  const open = await acceptWebSocket(upgrade, protocol);
  const write = (chunk: Buffer): boolean => {
    open.send(binary ? chunk.subarray(lengthBytes) : chunk, { binary });
    return !socket.writableNeedDrain;
  };
  return {
    write,
    writeAll(chunks) {
      for (const chunk of chunks) write(chunk);
      return !socket.writableNeedDrain;
    },
    drained: () =>
      new Promise(resolve => {
        const done = (): void => {
          socket.off('drain', done).off('close', done);
          resolve(!socket.destroyed && socket.writableLength === 0);
        };
        if (!socket.writableNeedDrain || socket.destroyed) return done();
        socket.on('drain', done).on('close', done);
      }),
    end: () => open.close(),
    get closed() {
      return open.readyState !== open.OPEN;
    },
  };
}
