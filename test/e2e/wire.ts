/** A client with the requests of client-go: one HTTP/2 connection, which prefers protobuf to JSON. */
import http2 from 'node:http2';
import type { Test } from 'tap';
import { decodeProtobuf, encodeProtobuf } from '../../apiserver/negotiate/protobuf/envelope.js';
import type { KubeObject } from '../../apimachinery/interface.js';
import { jsonText, parseJson } from '../../lib/json/json.js';
import type { TestServer } from '../apiserver/running.js';
import { decodeFrame, frames, type WatchEvent } from './frames.js';

export const protobuf = 'application/vnd.kubernetes.protobuf';
export const json = 'application/json';
export const merge = 'application/merge-patch+json';

/** Accept headers of the typed, metadata and dynamic clients of client-go. The `binary` ones accept only protobuf. */
export const accepts = {
  typed: `${protobuf},${json}`,
  binary: protobuf,
  binaryMetadata: `${protobuf};as=PartialObjectMetadata;g=meta.k8s.io;v=v1`,
  metadata: ['PartialObjectMetadata', 'PartialObjectMetadataList']
    .map(as => `${protobuf};as=${as};g=meta.k8s.io;v=v1,application/json;as=${as};g=meta.k8s.io;v=v1`)
    .join(','),
  dynamic: json,
} as const;

export interface Reply {
  readonly status: number;
  readonly headers: http2.IncomingHttpHeaders;
  readonly bytes: Buffer;
  /** The decoded body. */
  readonly object: Wired;
}

/** The fields of an object or a list that tests read. */
export interface Wired extends KubeObject {
  readonly [field: string]: unknown;
  readonly items?: readonly Wired[];
  readonly reason?: string;
  readonly message?: string;
  readonly code?: number;
}

interface Sent {
  /** An object is sent as protobuf unless `type` is JSON; text and bytes are sent unchanged. */
  readonly body?: object | string | Buffer;
  readonly type?: string;
  readonly accept?: string;
  readonly agent?: string;
  /** The header Accept-Encoding. */
  readonly encoding?: string;
}

/** A watch. Iterating ends when the server ends it, and throws when the connection breaks. */
export interface Stream {
  readonly status: number;
  readonly type: string;
  readonly events: AsyncIterable<WatchEvent>;
  /** Closes the stream without an error code. */
  destroy(): void;
}

export interface Wire {
  /** Sends a request such as `GET /api/v1/namespaces`. Never throws for a status. */
  readonly send: (what: string, sent?: Sent) => Promise<Reply>;
  watch(path: string, accept?: string): Promise<Stream>;
  /** Closes the connection; the next request opens a new one. */
  disconnect(): void;
}

function encoded({ body, type = protobuf }: Sent): Buffer | undefined {
  if (body === undefined || Buffer.isBuffer(body)) return body;
  if (typeof body === 'string') return Buffer.from(body);
  return type === protobuf ? encodeProtobuf(body as Record<string, unknown>) : Buffer.from(jsonText(body));
}

function decoded(bytes: Buffer, type: string): Wired {
  const object = type.startsWith(protobuf)
    ? decodeProtobuf(bytes, { apiVersion: '', kind: '' })
    : parseJson(bytes.toString());
  return object as Wired;
}

async function all(stream: http2.ClientHttp2Stream): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}

const headersOf = (stream: http2.ClientHttp2Stream): Promise<http2.IncomingHttpHeaders> =>
  new Promise((resolve, reject) => stream.once('response', resolve).once('error', reject));

export function wire(t: Test, { pki, host, port }: TestServer): Wire {
  let session: http2.ClientHttp2Session | undefined;
  t.teardown(() => session?.destroy());

  function connected(): http2.ClientHttp2Session {
    if (session && !session.closed && !session.destroyed) return session;
    const { certificate: cert, key } = pki.admin;
    const address = `https://${host.includes(':') ? `[${host}]` : host}:${port}`;
    session = http2.connect(address, { ca: pki.authority.certificate, cert, key });
    // The requests of a broken session fail on their own.
    session.on('error', () => undefined);
    return session;
  }

  function request(what: string, sent: Sent): http2.ClientHttp2Stream {
    const [method, path] = what.split(' ');
    const body = encoded(sent);
    const headers = {
      ':method': method,
      ':path': path,
      accept: sent.accept ?? accepts.typed,
      'user-agent': sent.agent ?? 'wire/v0.36.2 (linux/amd64) kubernetes/abcdef',
      ...(body && { 'content-type': sent.type ?? protobuf }),
      ...(sent.encoding !== undefined && { 'accept-encoding': sent.encoding }),
    };
    const stream = connected().request(headers, { endStream: body === undefined });
    stream.on('error', () => undefined);
    if (body !== undefined) stream.end(body);
    return stream;
  }

  return {
    async send(what, sent = {}) {
      const stream = request(what, sent);
      const headers = await headersOf(stream);
      const bytes = await all(stream);
      const status = Number(headers[':status']);
      return {
        status,
        headers,
        bytes,
        get object() {
          return decoded(bytes, headers['content-type'] ?? '');
        },
      };
    },
    async watch(path, accept = accepts.typed) {
      const stream = request(`GET ${path}`, { accept });
      t.teardown(() => stream.destroy());
      const headers = await headersOf(stream);
      const type = headers['content-type'] ?? '';
      async function* events(): AsyncGenerator<WatchEvent> {
        for await (const frame of frames(stream as AsyncIterable<Buffer>, type)) yield decodeFrame(frame, type);
      }
      return { status: Number(headers[':status']), type, events: events(), destroy: () => stream.destroy() };
    },
    disconnect() {
      session?.destroy(Object.assign(new Error('cut'), { code: 'ECONNRESET' }));
      session = undefined;
    },
  };
}

/** Sends a request with JSON bodies and answers, such as `ask('PATCH /api/v1/nodes/n', {...}, merge)`. */
export type Ask = (what: string, body?: unknown, type?: string) => Promise<Reply>;

export const inJson =
  ({ send }: Wire): Ask =>
  (what, body, type = json) =>
    send(what, { accept: json, ...(body !== undefined && { body: JSON.stringify(body), type }) });

/** Returns the code and causes of a refused request, as `code: cause; cause`. */
export function refusal({ status, object }: Reply): string {
  const { causes = [] } = (object['details'] ?? {}) as { causes?: { field: string; message: string }[] };
  return `${status}: ${causes.map(({ field, message }) => `${field}: ${message}`).join('; ') || String(object.message)}`;
}
