/** The kubelets of a simulated member: one HTTPS port for all nodes, and one HTTP port for the servers in all Pods. */
import { once } from 'node:events';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { jsonText } from '../../lib/json/json.js';
import type { Clock } from '../../lib/clock.js';
import type { Authority } from '../../authn/pki/authority.js';
import type { Credential } from '../../authn/pki/authority.js';
import type { Pod } from '../../openapi/gen/core-v1.js';
import type { Containers } from './containers.js';
import { forwardPorts, portForwardProtocol } from './port-forward.js';
import { acceptStreams, offeredProtocols } from './remote-streams.js';
import { type ContainerPath, logOptions, parseContainerPath, RefusedRequest, wantedStreams } from './requests.js';
import { CommandRunner, type EndContainer } from './run-command.js';
import { LogServer } from './serve-log.js';

/** Connections to the kubelets of one member. */
const maxConnections = 1000;

interface KubeletOptions {
  readonly host: string;
  /** The serving certificate of the nodes. */
  readonly serving: Credential;
  /** Signs the client certificates of API servers. */
  readonly authority: Pick<Authority, 'certificate'>;
  readonly containers: Containers;
  readonly clock: Clock;
  readonly endContainer: EndContainer;
}

interface Ports {
  readonly kubelets: number;
  readonly pods: number;
}

const listen = async (server: http.Server, host: string): Promise<number> => {
  server.maxConnections = maxConnections;
  server.listen({ host, port: 0 });
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
};

/** Returns the name in a Host header. */
const hostOf = (request: IncomingMessage): string =>
  (request.headers.host ?? '').replace(/:\d+$/, '').replace(/^\[|\]$/g, '');

function respondText(response: ServerResponse, code: number, text: string): void {
  response.writeHead(code, { 'content-type': 'text/plain; charset=utf-8' });
  response.end(text);
}

/** The servers of all kubelets and Pods of a member. */
export class KubeletServer {
  readonly #options: KubeletOptions;
  readonly #logs: LogServer;
  readonly #runner: CommandRunner;
  readonly #kubelets: https.Server;
  readonly #pods: http.Server;
  readonly #sockets = new Set<Duplex>();

  constructor(options: KubeletOptions) {
    this.#options = options;
    const { serving, authority, containers, clock, endContainer } = options;
    this.#logs = new LogServer(containers, clock);
    this.#runner = new CommandRunner(containers, clock, endContainer);
    this.#kubelets = https.createServer({
      ...{ cert: serving.certificate, key: serving.key, ca: authority.certificate, requestCert: true },
      rejectUnauthorized: false,
    });
    this.#kubelets.on('request', (request, response) => void this.#serve(request, response));
    this.#kubelets.on('upgrade', (request, socket, head) => void this.#upgrade(request, socket, head));
    this.#kubelets.on('secureConnection', socket => this.#watch(socket));
    this.#pods = http.createServer((request, response) => this.#answerAsPod(request, response));
    this.#pods.on('connection', socket => this.#watch(socket));
  }

  /** Opens both ports. */
  async listen(): Promise<Ports> {
    const { host } = this.#options;
    return { kubelets: await listen(this.#kubelets, host), pods: await listen(this.#pods, host) };
  }

  /** Ends all connections. */
  close(): void {
    this.#kubelets.close();
    this.#pods.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  #watch(socket: Duplex): void {
    this.#sockets.add(socket);
    socket.on('error', () => socket.destroy()).on('close', () => this.#sockets.delete(socket));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const gone = new AbortController();
    response.on('close', () => gone.abort());
    try {
      await this.#answer(request, response, gone.signal);
    } catch (error) {
      if (response.headersSent || response.destroyed) response.destroy();
      else if (error instanceof RefusedRequest) respondText(response, error.code, error.message);
      else respondText(response, 500, String(error));
    }
  }

  async #answer(request: IncomingMessage, response: ServerResponse, signal: AbortSignal): Promise<void> {
    const url = new URL(request.url ?? '/', 'https://kubelet');
    this.#mustBeKnown(request);
    if (url.pathname === '/healthz') return respondText(response, 200, 'ok');
    if (url.pathname === '/pods') {
      const { containers } = this.#options;
      const items = containers.podsOf(containers.nodeAt(hostOf(request)) ?? '');
      response.setHeader('content-type', 'application/json');
      return void response.end(jsonText({ kind: 'PodList', apiVersion: 'v1', metadata: {}, items }));
    }
    const path = parseContainerPath(url.pathname);
    if (path?.action === 'containerLogs') {
      const options = logOptions(url.searchParams, this.#options.clock.now());
      return this.#logs.serve({ pod: this.#podOf(path), name: path.container }, options, response, signal);
    }
    if (['exec', 'attach', 'portForward'].includes(path?.action ?? ''))
      throw new RefusedRequest(400, 'Upgrade request required');
    throw new RefusedRequest(404, '404 page not found\n');
  }

  async #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    try {
      const url = new URL(request.url ?? '/', 'https://kubelet');
      this.#mustBeKnown(request);
      const path = parseContainerPath(url.pathname);
      if (path?.action === 'portForward') {
        this.#podOf(path);
        if (!offeredProtocols(request).includes(portForwardProtocol))
          throw new RefusedRequest(403, 'unable to upgrade: no protocol');
        return await forwardPorts({ request, socket, head });
      }
      if (path?.action !== 'exec' && path?.action !== 'attach') throw new RefusedRequest(404, '404 page not found\n');
      const pod = this.#podOf(path);
      const { container } = path;
      if (!this.#options.containers.status(pod, container)?.state?.running)
        throw new RefusedRequest(500, `container not found ("${container}")`);
      const wanted = wantedStreams(url.searchParams);
      const streams = await acceptStreams({ request, socket, head }, wanted);
      if (!streams) throw new RefusedRequest(403, 'unable to upgrade: unable to negotiate protocol');
      const execution = { pod, container, tty: wanted.tty, words: url.searchParams.getAll('command') };
      if (path.action === 'exec') await this.#runner.run(execution, streams);
      else await this.#runner.attach(execution, streams);
    } catch (error) {
      if (!(error instanceof RefusedRequest)) return void socket.destroy();
      const text = `HTTP/1.1 ${error.code} ${http.STATUS_CODES[error.code]}\r\nConnection: close\r\nContent-Length: `;
      socket.end(`${text}${Buffer.byteLength(error.message)}\r\n\r\n${error.message}`);
    }
  }

  /** Throws RefusedRequest when the client has no certificate of the member. */
  #mustBeKnown({ socket }: IncomingMessage): void {
    if (!(socket as TLSSocket).authorized) throw new RefusedRequest(401, 'Unauthorized');
  }

  #podOf({ namespace, pod: name }: ContainerPath): Pod {
    const pod = this.#options.containers.pod(namespace, name);
    if (!pod) throw new RefusedRequest(404, `pod "${name}" not found`);
    return pod;
  }

  #answerAsPod(request: IncomingMessage, response: ServerResponse): void {
    respondText(response, 200, `${request.method} ${request.url} at ${request.headers.host}\n`);
    request.resume();
  }
}
