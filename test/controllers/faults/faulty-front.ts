/** A reverse proxy in front of a member, which fails as a test orders. */
import { once } from 'node:events';
import type http from 'node:http';
import https from 'node:https';
import net from 'node:net';
import type { Test } from 'tap';
import { createAuthority, issueServing } from '../../../authn/pki/authority.js';
import type { TestServer } from '../../apiserver/running.js';

type RequestLine = Pick<http.IncomingMessage, 'method' | 'url'>;

export type Fault =
  /** New connections are accepted, and nothing is ever answered. */
  | { readonly kind: 'black hole' }
  /** Connections are closed with a TCP RST. */
  | { readonly kind: 'reset' }
  /** Answers come after this time. */
  | { readonly kind: 'slow'; readonly delayMs: number }
  /** All requests, or those that match, get this answer, after this time. */
  | {
      readonly kind: 'answer';
      readonly code: number;
      readonly delayMs?: number;
      readonly headers?: http.OutgoingHttpHeaders;
      readonly matches?: (request: RequestLine) => boolean;
    }
  /** Requests that match get these answers one after another, codes or a broken connection. When none is left, they pass. */
  | {
      readonly kind: 'answers';
      readonly left: (number | 'reset')[];
      readonly matches: (request: RequestLine) => boolean;
    }
  /** A resource is not served: it is missing from discovery, and requests for it get a 404. */
  | { readonly kind: 'unserved'; readonly group: string; readonly version: string; readonly resource: string }
  /** Requests pass, and are counted. */
  | { readonly kind: 'other server' };

export interface FaultyFront {
  readonly url: string;
  readonly authority: string;
  /** The number of requests and of connections without a request since the last `set`. */
  readonly requests: number;
  /** The largest number of answers of a fault that were delayed at a time since the last `set`. */
  readonly mostDelayed: number;
  /** Begins a fault, or ends it: undefined. All connections are cut, except by a black hole, which keeps them silently. */
  set(fault: Fault | undefined): void;
  /** Passes all further requests to this server. */
  passTo(member: TestServer): void;
  /** Shows clients a certificate of another authority from now on, which becomes `authority`. */
  renewAuthority(): Promise<void>;
}

class Front implements FaultyFront {
  authority = '';
  #member: TestServer;
  #agent: https.Agent;
  readonly #inner: https.Server;
  readonly #sockets = new Set<net.Socket>();
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly #answers = new Set<http.IncomingMessage>();
  #fault: Fault | undefined;
  #port = 0;
  requests = 0;
  mostDelayed = 0;

  constructor(member: TestServer) {
    this.#member = member;
    this.#agent = agentFor(member);
    this.#inner = https.createServer((request, response) => this.#serve(request, response));
    this.#inner.on('tlsClientError', () => this.requests++);
  }

  get url(): string {
    return `https://127.0.0.1:${this.#port}`;
  }

  async listen(t: Test): Promise<void> {
    await this.renewAuthority();
    const outer = net.createServer(socket => {
      this.#sockets.add(socket);
      socket.on('error', () => undefined);
      socket.once('close', () => this.#sockets.delete(socket));
      const { kind } = this.#fault ?? {};
      if (kind === 'black hole' || kind === 'reset') this.requests++;
      if (kind === 'reset') socket.resetAndDestroy();
      else if (kind !== 'black hole') this.#inner.emit('connection', socket);
    });
    outer.listen(0, '127.0.0.1');
    await once(outer, 'listening');
    this.#port = (outer.address() as net.AddressInfo).port;
    t.teardown(() => {
      outer.close();
      this.set(undefined);
      this.#agent.destroy();
    });
  }

  async renewAuthority(): Promise<void> {
    const authority = await createAuthority();
    const { certificate: cert, key } = await issueServing(authority, ['127.0.0.1']);
    this.#inner.setSecureContext({ cert, key });
    this.authority = authority.certificate;
  }

  passTo(member: TestServer): void {
    this.#agent.destroy();
    this.#member = member;
    this.#agent = agentFor(member);
  }

  set(fault: Fault | undefined): void {
    this.#fault = fault;
    this.requests = 0;
    this.mostDelayed = 0;
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
    if (fault?.kind === 'black hole') for (const answer of this.#answers) answer.unpipe().resume();
    else for (const socket of this.#sockets) socket.resetAndDestroy();
  }

  #serve(request: http.IncomingMessage, response: http.ServerResponse): void {
    const fault = this.#fault;
    if (!fault) return this.#pass(request, response);
    if (fault.kind === 'unserved') return this.#serveWithout(fault, request, response);
    const isPassed = (fault.kind === 'answer' || fault.kind === 'answers') && fault.matches?.(request) === false;
    if (!isPassed) this.requests++;
    if (isPassed || fault.kind === 'other server') return this.#pass(request, response);
    if (fault.kind === 'answer') {
      request.resume();
      const answer = (): void => void response.writeHead(fault.code, fault.headers).end();
      if (fault.delayMs === undefined) answer();
      else this.#later(answer, fault.delayMs);
    } else if (fault.kind === 'answers') {
      const answer = fault.left.shift();
      if (answer === undefined) return this.#pass(request, response);
      request.resume();
      if (answer === 'reset') response.destroy();
      else response.writeHead(answer).end();
    } else if (fault.kind === 'slow') this.#later(() => this.#pass(request, response), fault.delayMs);
  }

  #later(answer: () => void, delayMs: number): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      answer();
    }, delayMs);
    this.#timers.add(timer);
    this.mostDelayed = Math.max(this.mostDelayed, this.#timers.size);
  }

  #serveWithout(unserved: Unserved, request: http.IncomingMessage, response: http.ServerResponse): void {
    const { url = '' } = request;
    const group = `/apis/${unserved.group}/${unserved.version}`;
    if (url === '/apis' || url === group) {
      // The answer is another one than that of the member, so that it has no ETag of it.
      delete request.headers['if-none-match'];
      delete request.headers['accept-encoding'];
      return this.#pass(request, response, answer => void sendWithout(unserved, answer, response));
    }
    if (!isOf(url, group, unserved.resource)) return this.#pass(request, response);
    this.requests++;
    request.resume();
    response.writeHead(404).end();
  }

  #pass(
    request: http.IncomingMessage,
    response: http.ServerResponse,
    send: (answer: http.IncomingMessage) => void = answer => sendOn(answer, response),
  ): void {
    const { method, url, headers } = request;
    const passed = https.request(`${this.#member.url}${url}`, {
      ...{ method, agent: this.#agent },
      headers: { ...headers, host: new URL(this.#member.url).host },
    });
    passed.on('response', answer => {
      this.#answers.add(answer);
      answer.once('close', () => this.#answers.delete(answer));
      answer.on('error', () => response.destroy());
      send(answer);
    });
    passed.on('error', () => response.destroy());
    response.once('close', () => passed.destroy());
    request.pipe(passed);
  }
}

type Unserved = Extract<Fault, { kind: 'unserved' }>;

/** Reports whether a request is for objects of a resource of a group version. */
function isOf(url: string, group: string, resource: string): boolean {
  if (!url.startsWith(`${group}/`)) return false;
  const [first, , third] = url.slice(group.length + 1).split(/[/?]/);
  return (first === 'namespaces' && third !== undefined ? third : first) === resource;
}

function sendOn(answer: http.IncomingMessage, response: http.ServerResponse): void {
  response.writeHead(answer.statusCode ?? 500, answer.headers);
  response.flushHeaders();
  answer.pipe(response);
}

interface Discovery {
  /** The resources of one group version. */
  resources?: { name: string }[];
  /** The groups with their resources. */
  items?: { metadata: { name: string }; versions: { version: string; resources: { resource: string }[] }[] }[];
}

/** Sends an answer of discovery without a resource and its subresources. */
async function sendWithout(
  unserved: Unserved,
  answer: http.IncomingMessage,
  response: http.ServerResponse,
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk as Buffer);
  const found = JSON.parse(Buffer.concat(chunks).toString()) as Discovery;
  if (found.resources) found.resources = found.resources.filter(({ name }) => name.split('/')[0] !== unserved.resource);
  for (const { metadata, versions } of found.items ?? [])
    for (const each of versions)
      if (metadata.name === unserved.group && each.version === unserved.version)
        each.resources = each.resources.filter(({ resource }) => resource !== unserved.resource);
  const { etag: _, 'content-length': __, ...headers } = answer.headers;
  response.writeHead(answer.statusCode ?? 500, headers).end(JSON.stringify(found));
}

const agentFor = ({ pki }: TestServer): https.Agent =>
  new https.Agent({ keepAlive: true, ca: pki.authority.certificate });

/** Starts the proxy on loopback, without a fault. */
export async function faultyFront(t: Test, member: TestServer): Promise<FaultyFront> {
  const front = new Front(member);
  await front.listen(t);
  return front;
}
