/** Sends many concurrent requests to a server: over HTTP/2 streams, and pipelined over HTTP/1.1. */
import { once } from 'node:events';
import http2 from 'node:http2';
import tls from 'node:tls';
import { decodeProtobuf } from '../../../apiserver/negotiate/protobuf/envelope.js';
import type { FuzzRequest } from './seeds.js';

export interface Target {
  readonly host: string;
  readonly port: number;
  readonly ca: string;
  /** The certificate of an administrator. Without it, the requests have no user but that of their headers. */
  readonly cert?: string;
  readonly key?: string;
}

/** The answer to a request; the status is 0 if it could not be sent. */
export interface Outcome {
  readonly status: number;
  readonly text: string;
}

/** Bytes of the receive window. A large answer arrives at once, instead of in many turns of a busy event loop. */
const window = 32 * 1024 * 1024;
const maxText = 4096;
/** More than a server accepts. Node sends 64 KiB by default. */
const maxHeaderBytes = 4 << 20;
/** Milliseconds within which an answer must arrive. */
const timeoutMs = 90_000;

const tlsOf = (target: Target, protocol: string): tls.ConnectionOptions => ({
  ...target,
  ...{ ALPNProtocols: [protocol], servername: 'localhost' },
});

/** Returns a Status as JSON, also if it came as protobuf, and other answers as text. */
function textOf(bytes: Buffer): string {
  if (bytes.indexOf('k8s\0') !== 0) return bytes.toString();
  try {
    return JSON.stringify(decodeProtobuf(bytes, { apiVersion: 'v1', kind: 'Status' }));
  } catch {
    return bytes.toString('latin1'); // the kept bytes are incomplete
  }
}

export class Streams {
  readonly #target: Target;
  readonly #maxBytes: number;
  #session: http2.ClientHttp2Session | undefined;

  /** Keeps at most `maxBytes` bytes of an answer. */
  constructor(target: Target, maxBytes = maxText) {
    this.#target = target;
    this.#maxBytes = maxBytes;
  }

  async #open(): Promise<http2.ClientHttp2Session> {
    const known = this.#session;
    if (known && !known.closed && !known.destroyed) return known;
    const { host, port } = this.#target;
    const session = http2.connect(`https://${host}:${port}`, {
      ...(tlsOf(this.#target, 'h2') as http2.SecureClientSessionOptions),
      settings: { initialWindowSize: window },
      // Node breaks off its own requests when more than 10 MB of them wait.
      maxSessionMemory: 1000,
      maxSendHeaderBlockLength: maxHeaderBytes,
    });
    session.on('error', () => undefined);
    this.#session = session;
    await once(session, 'connect');
    session.setLocalWindowSize(window);
    return session;
  }

  /** Sends a request. Rejects when the session fails or the answer is late. */
  async send({ method, path, headers, body }: FuzzRequest): Promise<Outcome> {
    const session = await this.#open();
    return new Promise((resolve, reject) => {
      const { host: _host, connection: _connection, ...rest } = headers;
      let stream: http2.ClientHttp2Stream;
      try {
        stream = session.request({ ...rest, ':method': method, ':path': path }, { endStream: body === undefined });
      } catch {
        return resolve({ status: 0, text: '' }); // no client could send it, or the session is closing
      }
      let status = 0;
      const kept: Buffer[] = [];
      let length = 0;
      const settle = (): void => {
        clearTimeout(timer);
        if (status === 0) reject(new Error(`${method} ${path} was reset with code ${stream.rstCode}`));
        else resolve({ status, text: textOf(Buffer.concat(kept)) });
      };
      const timer = setTimeout(() => {
        stream.close();
        reject(
          new Error(`no answer to ${method} ${path} ${JSON.stringify(headers)} ${body?.length} ${status} ${length}`),
        );
      }, timeoutMs);
      const watching = /[?&]watch=|\/watch\/|\/watch$/.test(path);
      stream.on('response', answer => {
        status = Number(answer[':status']);
        if (watching && status === 200) stream.close();
      });
      stream.on('data', (chunk: Buffer) => {
        if (length < this.#maxBytes) kept.push(chunk);
        length += chunk.length;
      });
      stream.on('error', () => undefined);
      stream.on('close', settle);
      if (body) stream.end(body);
    });
  }

  close(): void {
    this.#session?.destroy();
  }
}

/**
 * Sends bytes over a connection of its own, and nothing after them, unless the server has to close it (`halfCloses` is false): a server may give up a
 * request whose client has ended. Returns what arrives until the connection is idle or ends.
 */
export async function sendRaw(target: Target, bytes: Buffer, halfCloses = true): Promise<string> {
  const socket = tls.connect(tlsOf(target, 'http/1.1'));
  let text = '';
  socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1').slice(0, maxText)));
  socket.on('error', () => undefined);
  await Promise.race([once(socket, 'secureConnect'), once(socket, 'close')]);
  if (halfCloses) socket.end(bytes);
  else socket.write(bytes);
  if (!socket.destroyed) await once(socket, 'close');
  return text;
}

export function rawOf({ method, path, headers, body }: FuzzRequest): Buffer {
  const lines = Object.entries(headers).flatMap(([name, value]) => [value].flat().map(each => `${name}: ${each}\r\n`));
  const length = body ? `content-length: ${body.length}\r\n` : '';
  const head = `${method} ${path} HTTP/1.1\r\nhost: localhost\r\n${lines.join('')}${length}\r\n`;
  return Buffer.concat([Buffer.from(head, 'latin1'), body ?? Buffer.alloc(0)]);
}
