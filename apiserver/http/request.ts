import { performance } from 'node:perf_hooks';
import type { Registration } from '../../lib/collections/indexed-set.js';
import type { Headers } from '../../authn/interface.js';
import type { Identity } from '../../apimachinery/identity.js';
import type { AuditTrail, HttpExchange, RequestContext, Query, RequestInfo, ResponseHeaders } from '../interface.js';
import type { Ticket } from './ticket.js';
import type { RequestMetrics } from '../metrics/request-metrics.js';
import { parseQuery } from './query.js';
import { warningHeaders } from './warnings.js';

/** Nobody yet: before authentication. */
const nobody: Identity = { name: '', groups: [] };

/** One for all: the stack of each would be the same, and many clients may go in one turn of the event loop. */
const clientGone = new Error('the client is gone');

/** as apiserver/pkg/endpoints/metrics MonitorRequest */
const systemClients: ReadonlySet<string> = new Set([
  'kube-apiserver',
  'kube-controller-manager',
  'kube-scheduler',
  'cluster-policy-controller',
]);

/** Takes note of who is being served. */
export interface Place {
  left(): void;
}

/** hot: one per request. What the filters find out about it, in their order. */
export class Request implements RequestContext {
  readonly exchange: HttpExchange;
  readonly received = performance.now();
  auditId = '';
  info!: RequestInfo;
  /** The request's, taken apart where they came several times; set by authentication. */
  headers: Headers = {};
  user = nobody;
  /** Milliseconds of `performance.now()` at which the answer is late; Infinity for long-running requests. */
  deadline = Infinity;
  /** Counts the answer; set where the request is routed. */
  metrics: RequestMetrics | undefined;
  dryRun = false;
  /** Milliseconds in which it waited for webhooks, or for its turn. */
  elsewhere = 0;
  /** Among those that are being served. */
  registration: Registration | undefined;
  /** Where it is counted while it is served. */
  place: Place | undefined;
  /** Takes notes for the audit log; undefined when nobody does. */
  audit: AuditTrail | undefined;
  /** Of the answer; 0 while there is none, or when it is none of ours (upgrades). */
  code = 0;
  /** What it holds of the server's seats. */
  ticket: Ticket | undefined;
  #onceDone: ((bytes: number) => void) | undefined;
  readonly #onDone: (request: Request) => void;
  #query: Query | undefined;
  #body: Promise<Buffer> | undefined;
  #headers: ResponseHeaders | undefined;
  #warnings: string[] | undefined;
  #controller: AbortController | undefined;
  #aborted: Error | undefined;
  #done = false;

  constructor(exchange: HttpExchange, onDone: (request: Request) => void) {
    this.exchange = exchange;
    this.#onDone = onDone;
  }

  get query(): Query {
    return (this.#query ??= parseQuery(this.exchange.query));
  }

  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController();
      if (this.#aborted) this.#controller.abort(this.#aborted);
      else this.exchange.onClose(() => this.exchange.lane.run(() => this.abort(clientGone)));
    }
    return this.#controller.signal;
  }

  /** Tells whoever works for this request that nobody wants the answer any more. */
  abort(reason: Error): void {
    this.#aborted ??= reason;
    this.#controller?.abort(reason);
  }

  /** The whole body, which is read once. Rejects with 413 beyond `limit` bytes. */
  body(limit: number): Promise<Buffer> {
    return (this.#body ??= this.exchange.body(limit));
  }

  header(name: string): string | undefined {
    const value = this.exchange.headers[name];
    return typeof value === 'string' ? value : value?.[0];
  }

  get systemClient(): string {
    const agent = this.header('user-agent');
    const end = agent?.indexOf('/') ?? -1;
    if (agent === undefined || end < 0) return '';
    const name = agent.slice(0, end);
    return systemClients.has(name) ? name : '';
  }

  /** It was waited for others. */
  waited(milliseconds: number): void {
    this.elsewhere += milliseconds;
  }

  warn(text: string): void {
    (this.#warnings ??= []).push(text);
  }

  annotate(key: string, value: string): void {
    this.audit?.annotate(key, value);
  }

  /** Of the answer, whatever it is. */
  addHeaders(headers: ResponseHeaders): void {
    this.#headers = { ...this.#headers, ...headers };
  }

  answerHeaders(): ResponseHeaders {
    const headers: ResponseHeaders = { 'audit-id': this.auditId, 'cache-control': 'no-cache, private' };
    if (this.#headers) Object.assign(headers, this.#headers);
    const { ticket } = this;
    if (ticket !== undefined && ticket.levelUid !== '') {
      headers['x-kubernetes-pf-flowschema-uid'] = ticket.schemaUid;
      headers['x-kubernetes-pf-prioritylevel-uid'] = ticket.levelUid;
    }
    if (this.#warnings) {
      const lines = warningHeaders(this.#warnings);
      if (lines.length > 0) headers.warning = lines;
    }
    return headers;
  }

  /** Since it came. */
  get seconds(): number {
    return (performance.now() - this.received) / 1000;
  }

  /** It has its answer, or nobody waits for one. */
  get ended(): boolean {
    return this.#done;
  }

  /** Called with the end of the request, however it comes, and the bytes of its answer. */
  onceDone(listener: (bytes: number) => void): void {
    const before = this.#onceDone;
    this.#onceDone = before
      ? bytes => {
          before(bytes);
          listener(bytes);
        }
      : listener;
  }

  /** The answer is on its way, or will never come. Counts once. */
  done(code: number, bytes: number): void {
    if (this.#done) return;
    this.code = code;
    this.metrics?.done(code, this.seconds, bytes, this);
    this.#end(bytes);
  }

  /** The end of a request that is counted by other means (watches, upgrades). */
  release(): void {
    if (!this.#done) this.#end(0);
  }

  #end(bytes: number): void {
    this.#done = true;
    this.ticket?.finish();
    this.place?.left();
    this.#onceDone?.(bytes);
    this.#onDone(this);
  }
}
