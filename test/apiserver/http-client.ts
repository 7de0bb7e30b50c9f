/** A plain HTTP/1.1 client of a server, as system:admin by default. */
import https from 'node:https';
import type { Test } from 'tap';
import type { TestServer } from './running.js';

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly bytes: Buffer;
  readonly text: string;
  /** The body as JSON. */
  readonly json: Json;
}

/** The fields of responses that tests read; a response has those of its kind. */
export interface Json extends Record<string, unknown> {
  readonly kind: string;
  readonly apiVersion: string;
  readonly metadata: {
    readonly name: string;
    readonly resourceVersion: string;
    readonly continue: string;
    readonly managedFields: readonly { readonly manager: string }[];
  };
  readonly message: string;
  readonly data: Readonly<Record<string, string>>;
  readonly items: readonly Json[];
  readonly columnDefinitions: readonly object[] | null;
  readonly rows: readonly { readonly cells: readonly unknown[]; readonly object: Json | null }[];
}

/** A watch event. */
export interface WatchEvent {
  readonly type: string;
  readonly object: Json;
}

export interface Ask {
  readonly headers?: Readonly<Record<string, string>>;
  /** A string is sent as it is, other values as JSON. */
  readonly body?: unknown;
  /** Content type of the body; default: JSON. */
  readonly type?: string;
  readonly accept?: string;
}

export type HttpClient = (what: string, ask?: Ask) => Promise<Answer>;

const tlsOf = ({ pki }: TestServer) => ({
  ca: pki.authority.certificate,
  cert: pki.admin.certificate,
  key: pki.admin.key,
});

function bodyOf(body: unknown): Buffer | undefined {
  if (body === undefined || Buffer.isBuffer(body)) return body;
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
}

/** Returns a client; use: `ask('GET /api/v1/namespaces')`. */
export function httpClient(t: Test, server: TestServer): HttpClient {
  const agent = new https.Agent({ keepAlive: true, ...tlsOf(server) });
  t.teardown(() => agent.destroy());
  return (what, { headers = {}, body, type = 'application/json', accept } = {}) =>
    new Promise((resolve, reject) => {
      const [method, path] = what.split(' ');
      const bytes = bodyOf(body);
      const all = {
        'user-agent': 'test/1',
        ...(bytes && { 'content-type': type, 'content-length': String(bytes.length) }),
        ...(accept !== undefined && { accept }),
        ...headers,
      };
      const { host, port } = server;
      const request = https.request({ host, port, method, path, agent, headers: all }, response => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', reject);
        response.on('end', () => {
          const whole = Buffer.concat(chunks);
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            bytes: whole,
            get text() {
              return whole.toString();
            },
            get json() {
              return JSON.parse(whole.toString()) as Json;
            },
          });
        });
      });
      request.on('error', reject).end(bytes);
    });
}

interface Watching {
  readonly status: number;
  readonly type: string;
  /** Returns the next event; undefined when the server has ended the watch. */
  next(): Promise<WatchEvent | undefined>;
  stop(): void;
}

export function watch(
  t: Test,
  server: TestServer,
  path: string,
  accept = 'application/json',
  more: Readonly<Record<string, string>> = {},
): Promise<Watching> {
  return new Promise((resolve, reject) => {
    const { host, port } = server;
    const request = https.get(
      { host, port, path, agent: false, ...tlsOf(server), headers: { accept, ...more } },
      response => {
        async function* events(): AsyncGenerator<WatchEvent, undefined> {
          let rest = '';
          for await (const chunk of response as AsyncIterable<Buffer>) {
            const lines = (rest + chunk.toString()).split('\n');
            rest = lines.pop() ?? '';
            for (const line of lines) yield JSON.parse(line) as WatchEvent;
          }
          if (rest !== '') yield JSON.parse(rest) as WatchEvent;
          return undefined;
        }
        const iterator = events();
        resolve({
          status: response.statusCode ?? 0,
          type: response.headers['content-type'] ?? '',
          next: async () => (await iterator.next()).value,
          stop: () => void response.destroy(),
        });
      },
    );
    request.on('error', reject);
    t.teardown(() => request.destroy());
  });
}
