/** The streams of exec and attach at a kubelet, over SPDY/3.1 or WebSocket. as pkg/kubelet/server and k8s.io/streaming */
import type { IncomingMessage } from 'node:http';
import type { Readable, Writable } from 'node:stream';
import { jsonText } from '../../lib/json/json.js';
import { SpdySession } from '../../lib/spdy/session.js';
import type { SpdyStream } from '../../lib/spdy/stream.js';
import type { Upgrade } from '../../apiserver/interface.js';
import {
  channels,
  closingProtocol,
  statusProtocol,
  WebSocketChannels,
} from '../../apiserver/http/web-socket/channels.js';

export interface WantedStreams {
  readonly stdin: boolean;
  readonly stdout: boolean;
  readonly stderr: boolean;
  readonly tty: boolean;
}

export interface RemoteStreams {
  readonly stdin: Readable | undefined;
  readonly stdout: Writable | undefined;
  readonly stderr: Writable | undefined;
  /** The sizes of the terminal, as JSON. */
  readonly resize: Readable | undefined;
  /** Aborts when the client is gone. */
  readonly gone: AbortSignal;
  /** Sends the Status, and closes the connection. */
  finish(status: object): Promise<void>;
}

/** Milliseconds in which the client opens all streams. as k8s.io/streaming remotecommand DefaultStreamCreationTimeout */
const creationMs = 30_000;
/** Streams of one exec: error, stdin, stdout, stderr and resize. */
const maxStreams = 5;

const listed = (request: IncomingMessage, name: string): string[] =>
  [request.headers[name] ?? []].flat().flatMap(value => value.split(',').map(each => each.trim()));

/** Returns the head of the answer to an upgrade to SPDY. */
export const spdyAnswer = (protocol: string): string =>
  'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n' +
  `X-Stream-Protocol-Version: ${protocol}\r\n\r\n`;

/** Returns the protocols inside SPDY that a client offers. */
export const offeredProtocols = (request: IncomingMessage): string[] => listed(request, 'x-stream-protocol-version');

const ended = (stream: Writable | undefined): Promise<void> =>
  new Promise(resolve => {
    if (!stream || stream.destroyed) return resolve();
    stream.on('close', resolve).on('error', () => resolve());
    stream.end(resolve);
  });

/** Waits for the streams that a client opens in SPDY. */
function spdyStreams({ socket, head }: Upgrade, wanted: WantedStreams): Promise<RemoteStreams> {
  const gone = new AbortController();
  const names = ['error', ...(['stdin', 'stdout'] as const).filter(name => wanted[name])];
  if (wanted.tty) names.push('resize');
  else if (wanted.stderr) names.push('stderr');
  const found = new Map<string, SpdyStream>();
  socket.write(spdyAnswer(statusProtocol));
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => session.destroy(), creationMs);
    const onStream = (stream: SpdyStream): void => {
      const name = stream.header('streamtype');
      if (!names.includes(name) || found.has(name)) return void stream.destroy();
      found.set(name, stream);
      if (found.size < names.length) return;
      clearTimeout(timer);
      const error = found.get('error');
      resolve({
        ...{ stdin: found.get('stdin'), stdout: found.get('stdout'), stderr: found.get('stderr') },
        ...{ resize: found.get('resize'), gone: gone.signal },
        async finish(status) {
          error?.write(jsonText(status));
          await Promise.all(['error', 'stdout', 'stderr'].map(each => ended(found.get(each))));
          session.close();
          await session.closed;
        },
      });
    };
    const session = new SpdySession(socket, head, { isServer: true, maxStreams, onStream });
    void session.closed.then(() => {
      clearTimeout(timer);
      gone.abort(new Error('the client is gone'));
      reject(new Error('the client has not opened its streams'));
    });
  });
}

async function webSocketStreams(upgrade: Upgrade, wanted: WantedStreams, protocol: string): Promise<RemoteStreams> {
  const gone = new AbortController();
  const client = await WebSocketChannels.accept(upgrade, protocol);
  void client.closed.then(() => gone.abort(new Error('the client is gone')));
  const stdout = wanted.stdout ? client.writer(channels.stdout) : undefined;
  const stderr = wanted.stderr && !wanted.tty ? client.writer(channels.stderr) : undefined;
  client.send(channels.stdout, Buffer.alloc(0));
  return {
    ...{ stdin: wanted.stdin ? client.reader(channels.stdin) : undefined, stdout, stderr },
    ...{ resize: wanted.tty ? client.reader(channels.resize) : undefined, gone: gone.signal },
    async finish(status) {
      await Promise.all([ended(stdout), ended(stderr)]);
      client.send(channels.error, Buffer.from(jsonText(status)));
      client.close();
      await client.closed;
    },
  };
}

/** Answers an upgrade. Resolves with undefined when the client offers no protocol of this kubelet. Rejects when it leaves. */
export async function acceptStreams(upgrade: Upgrade, wanted: WantedStreams): Promise<RemoteStreams | undefined> {
  const { request } = upgrade;
  if (request.headers.upgrade?.toLowerCase() !== 'websocket')
    return offeredProtocols(request).includes(statusProtocol) ? spdyStreams(upgrade, wanted) : undefined;
  const offered = listed(request, 'sec-websocket-protocol');
  const protocol = [closingProtocol, statusProtocol].find(each => offered.includes(each));
  return protocol === undefined ? undefined : webSocketStreams(upgrade, wanted, protocol);
}
