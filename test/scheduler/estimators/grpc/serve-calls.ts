import type net from 'node:net';
import { flags, FrameReader, frameTypes, preface, settingsFrame } from '../../../../lib/http2/frames.js';
import { settingsAck } from '../../../storage/etcd/grpc/puppet.js';

/** Answers a call on a stream. */
export type Answer = (socket: net.Socket, stream: number) => void;

/** Serves HTTP/2 without TLS on a connection: acknowledges settings, and leaves the rest to `answer`. */
export function serveCalls(socket: net.Socket, answer: Answer): void {
  socket.write(settingsFrame([]));
  const reader = new FrameReader();
  let missing = preface.length;
  socket.on('data', (bytes: Buffer) => {
    const rest = bytes.subarray(missing);
    missing -= Math.min(missing, bytes.length);
    reader.push(rest, ({ type, flags: flag, stream }) => {
      if (type === frameTypes.settings && (flag & flags.ack) === 0) socket.write(settingsAck);
      if (type === frameTypes.headers) answer(socket, stream);
    });
  });
}
