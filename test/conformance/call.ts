/** Sends the plain requests of the recorded cases to one server, with exactly the headers that are given. */
import https from 'node:https';
import type { Endpoint } from '../../aggregation/interface.js';

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

interface Ask {
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface ApiClient {
  /** Rejects when the connection fails, or after 30 s without data. */
  call(method: string, path: string, ask?: Ask): Promise<Reply>;
  /** Passes on lines as they arrive. An answer other than 200 is returned instead. */
  watch(path: string, headers: Readonly<Record<string, string>>, onLine: (line: string) => void): Promise<Watch>;
  close(): void;
}

export type Watch = { readonly type: 'open'; close(): void } | { readonly type: 'refused'; readonly reply: Reply };

const timeoutMs = 30_000;

export function apiClient(endpoint: Endpoint, userAgent: string): ApiClient {
  const tls = {
    ca: endpoint.ca,
    cert: endpoint.clientCertificate,
    key: endpoint.clientKey,
    rejectUnauthorized: !endpoint.insecureSkipVerify,
  };
  const base = new URL(endpoint.server);
  const prefix = base.pathname.replace(/\/$/, '');
  const agent = new https.Agent({ keepAlive: true, maxSockets: 64, ...tls });
  const credentials = {
    'user-agent': userAgent,
    ...(endpoint.token !== undefined && { authorization: `Bearer ${endpoint.token}` }),
  };

  const request = (method: string, path: string, ask: Ask, through: https.RequestOptions) =>
    https.request({
      host: base.hostname,
      port: base.port,
      method,
      path: prefix + path,
      headers: {
        ...credentials,
        ...ask.headers,
        ...(ask.body !== undefined && { 'content-length': Buffer.byteLength(ask.body) }),
      },
      ...through,
    });

  return {
    call: (method, path, ask = {}) =>
      new Promise((resolve, reject) => {
        const asked = request(method, path, ask, { agent });
        asked.on('response', response => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('error', reject);
          response.on('end', () =>
            resolve({
              status: response.statusCode ?? 0,
              headers: response.headers,
              text: Buffer.concat(chunks).toString('utf8'),
            }),
          );
        });
        asked.on('error', reject);
        asked.setTimeout(timeoutMs, () => asked.destroy(new Error('timeout')));
        asked.end(ask.body);
      }),

    watch: (path, headers, onLine) =>
      new Promise((resolve, reject) => {
        const asked = request('GET', path, { headers }, { agent: false, ...tls });
        asked.on('error', reject);
        asked.on('response', response => {
          response.setEncoding('utf8');
          response.on('error', () => undefined);
          let rest = '';
          response.on('data', (chunk: string) => {
            rest += chunk;
            if (response.statusCode !== 200) return;
            for (let end = rest.indexOf('\n'); end >= 0; end = rest.indexOf('\n')) {
              onLine(rest.slice(0, end));
              rest = rest.slice(end + 1);
            }
          });
          if (response.statusCode === 200) resolve({ type: 'open', close: () => asked.destroy() });
          else
            response.on('end', () => {
              const { statusCode: status = 0, headers } = response;
              resolve({ type: 'refused', reply: { status, headers, text: rest } });
            });
        });
        asked.end();
      }),

    close: () => agent.destroy(),
  };
}
