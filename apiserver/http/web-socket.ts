/** Serves watches over WebSocket. Nothing else imports ws. */
import type { WebSocket } from 'ws';
import { plainProtocols } from '../../authn/identity/bearer.js';
import type { ResponseStream } from '../interface.js';
import type { Request } from './request.js';

export const isWebSocket = (request: Request): boolean => request.header('upgrade')?.toLowerCase() === 'websocket';

/** Bytes of the length before a frame of protobuf. WebSocket messages have their own length. */
const lengthBytes = 4;

/** Returns a stream whose chunks are WebSocket messages, text or binary; undefined when the request is no upgrade. */
export async function openWebSocket(request: Request, binary: boolean): Promise<ResponseStream | undefined> {
  // The import is dynamic since few clients use WebSockets.
  const { WebSocketServer } = await import('ws');
  const upgrade = request.exchange.takeOver();
  if (!upgrade) return undefined;
  const { socket } = upgrade;
  const [protocol = false] = plainProtocols(request.headers);
  const server = new WebSocketServer({ noServer: true, clientTracking: false, handleProtocols: () => protocol });
  const open = await new Promise<WebSocket>(resolve =>
    server.handleUpgrade(upgrade.request, socket, upgrade.head, resolve),
  );
  open.on('error', () => open.terminate());
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
