/** A server process whose event loop is measured, and requests to it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import https from 'node:https';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { kubeconfigEndpoint } from '../../aggregation/remote/kubeconfig.js';
import { listening } from '../cli/process.js';
import { plainNode } from '../../tools/plain-node.js';
import type { Question, Reading } from './meter.js';

export interface MeasuredRequest {
  readonly method: string;
  readonly path: string;
  readonly type?: string;
  readonly accept?: string;
  readonly body?: string | Buffer;
}

export interface MeasuredAnswer {
  readonly status: number;
  readonly body: Buffer;
}

export interface MeasuredServer {
  send(request: MeasuredRequest): Promise<MeasuredAnswer>;
  /** Opens a watch and reads it until `close`. Resolves when its headers have arrived. */
  watch(path: string, accept: string): Promise<void>;
  /** Waits until the server is idle. Resolves with the measurement since the last reading. */
  reading(question?: Question): Promise<Reading>;
  close(): Promise<void>;
}

const entry = fileURLToPath(new URL('../../cli/flagship.js', import.meta.url));
const meter = new URL('./meter.js', import.meta.url).href;

/** Starts `flagship up` without controllers, with its data in `folder`. `node`: further options for Node.js. */
export async function startMeasured(
  folder: string,
  node: readonly string[] = [],
  flags: readonly string[] = ['--controllers=-*'],
): Promise<MeasuredServer> {
  const [command, ...args] = plainNode;
  const child = spawn(
    command,
    [...args, ...node, '--import', meter, entry, 'up', ...flags, '--bind', '127.0.0.1:0', '--data-dir', folder],
    { stdio: ['ignore', 'pipe', 'pipe', 'ipc'] },
  );
  await listening(child);
  const endpoint = kubeconfigEndpoint(path.join(folder, 'kubeconfig'));
  const { ca, clientCertificate: cert, clientKey: key } = endpoint;
  const tls = { ca, cert, key, servername: 'localhost' };
  const agent = new https.Agent({ keepAlive: true, maxSockets: 2000, ...tls });
  const optionsOf = (request: MeasuredRequest): https.RequestOptions & { readonly url: URL } => ({
    url: new URL(request.path, endpoint.server),
    agent,
    method: request.method,
    headers: {
      accept: request.accept ?? 'application/json',
      ...(request.body !== undefined && {
        'content-type': request.type ?? 'application/json',
        'content-length': Buffer.byteLength(request.body),
      }),
    },
  });
  const responseTo = (request: MeasuredRequest): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const { url, ...options } = optionsOf(request);
      const sent = https.request(url, options, resolve);
      sent.on('error', reject);
      sent.end(request.body);
    });
  return {
    async send(request) {
      const response = await responseTo(request);
      const chunks: Buffer[] = [];
      for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk);
      return { status: response.statusCode ?? 0, body: Buffer.concat(chunks) };
    },
    async watch(watched, accept) {
      const response = await responseTo({ method: 'GET', path: watched, accept });
      response.on('error', () => undefined);
      response.resume();
    },
    async reading(question = 'reading') {
      child.send(question);
      const [reading] = (await once(child, 'message')) as [Reading];
      return reading;
    },
    async close() {
      agent.destroy();
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    },
  };
}
