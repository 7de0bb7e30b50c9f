/** A server of HTTP/2 that may send any frames. */
import tls from 'node:tls';
import type { ServerResponse } from 'node:http';
import {
  flags,
  FrameReader,
  frame,
  frameTypes,
  numberFrame,
  preface,
  settingsFrame,
} from '../../../lib/http2/frames.js';
import { HeaderReader } from '../../../lib/http2/hpack.js';
import { ok, settingsAck } from '../../storage/etcd/grpc/puppet.js';
import { ordinary } from './behaviours.js';
import { frameBehaviours } from './frame-behaviours.js';

type Take = (url: string) => { readonly path: string; readonly way: number | undefined };

/** Returns what `ordinary` needs of a response. */
function responseOn(socket: tls.TLSSocket, stream: number): ServerResponse {
  const sendHead = (): void => void socket.write(frame(frameTypes.headers, flags.endHeaders, stream, ok));
  let isBegun = false;
  const begin = (): void => {
    if (!isBegun) sendHead();
    isBegun = true;
  };
  return {
    writeHead: () => undefined,
    flushHeaders: begin,
    end(text: string) {
      begin();
      socket.write(frame(frameTypes.data, flags.endStream, stream, Buffer.from(text)));
    },
  } as unknown as ServerResponse;
}

function serve(socket: tls.TLSSocket, take: Take): void {
  const reader = new FrameReader();
  const headers = new HeaderReader();
  let missing = preface.length;
  let isFlooding = false;
  socket.write(Buffer.concat([settingsFrame([]), numberFrame(frameTypes.windowUpdate, 0, 1 << 20)]));
  socket.on('data', (chunk: Buffer) => {
    const rest = chunk.subarray(missing);
    missing -= Math.min(missing, chunk.length);
    reader.push(rest, ({ type, flags: flag, stream, payload }) => {
      if (type === frameTypes.settings && (flag & flags.ack) === 0) socket.write(settingsAck);
      if (type !== frameTypes.headers) return;
      const url = headers.read(Buffer.from(payload)).find(({ name }) => name === ':path')?.value ?? '';
      const { path, way } = take(url);
      const behaviour = way === undefined ? undefined : frameBehaviours[way];
      if (behaviour === undefined) return ordinary(path, responseOn(socket, stream));
      if (isFlooding) return;
      isFlooding = true;
      socket.write(behaviour.first(stream));
      const piece = behaviour.piece(stream);
      const more = (): void => {
        while (!socket.destroyed) if (!socket.write(piece)) return void socket.once('drain', more);
      };
      if (piece.length > 0) more();
    });
  });
}

export const frameServer = (certificate: { readonly cert: string; readonly key: string }, take: Take): tls.Server =>
  tls.createServer({ ...certificate, ALPNProtocols: ['h2'] }, socket => {
    socket.on('error', () => undefined);
    serve(socket, take);
  });
