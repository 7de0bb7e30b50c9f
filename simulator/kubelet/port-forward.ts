/** Port-forward at a kubelet: every port of a simulated Pod sends back what it gets. as k8s.io/streaming portforward */
import { SpdySession } from '../../lib/spdy/session.js';
import type { SpdyStream } from '../../lib/spdy/stream.js';
import type { Upgrade } from '../../apiserver/interface.js';
import { spdyAnswer } from './remote-streams.js';

export const portForwardProtocol = 'portforward.k8s.io';

/** Streams of one connection: two for each forwarded connection. */
const maxStreams = 512;

/** Resolves when the client has left. */
export async function forwardPorts({ socket, head }: Upgrade): Promise<void> {
  const errors = new Map<string, SpdyStream>();
  socket.write(spdyAnswer(portForwardProtocol));
  const onStream = (stream: SpdyStream): void => {
    const id = stream.header('requestid');
    if (stream.header('streamtype') === 'error') {
      errors.set(id, stream);
      stream.on('close', () => errors.delete(id)).resume();
      return;
    }
    const port = Number(stream.header('port'));
    const finish = (text: string): void => {
      errors.get(id)?.end(text);
      errors.delete(id);
    };
    if (!(port >= 1 && port <= 65_535)) {
      finish(`invalid port ${stream.header('port')}`);
      stream.destroy();
      return;
    }
    stream.on('close', () => finish(''));
    stream.pipe(stream);
  };
  await new SpdySession(socket, head, { isServer: true, maxStreams, onStream }).closed;
}
