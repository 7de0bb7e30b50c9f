import { performance } from 'node:perf_hooks';
import type { Registration } from '../../lib/collections/indexed-set.js';
import type { Headers } from '../../authn/interface.js';
import type { Identity } from '../../apimachinery/identity.js';
import type { AuditTrail, HttpExchange, RequestContext, Query, RequestInfo, ResponseHeaders } from '../interface.js';
import type { Ticket } from './ticket.js';
import type { RequestMetrics } from '../metrics/request-metrics.js';
import { parseQuery } from './query.js';
import { maxWarnings, warningHeaders } from './warnings.js';

/** The user before authentication. */
const noUser: Identity = { name: '', groups: [] };

/** One error for all requests: their stacks would be the same, and many clients may disconnect in one turn of the event loop. */
const clientGone = new Error('the client is gone');

/** as apiserver/pkg/endpoints/metrics MonitorRequest */
const systemClients: ReadonlySet<string> = new Set([
  'kube-apiserver',
  'kube-controller-manager',
  'kube-scheduler',
  'cluster-policy-controller',
]);

/** Counts the requests that are being served. */
export interface InFlightCount {
  /** Called when a counted request has ended. */
  left(): void;
}

/** hot: one per request. Holds what the filters find out about it, in their order. */
export class Request implements RequestContext {
  readonly exchange: HttpExchange;
  readonly received = performance.now();
  auditId = '';
  info!: RequestInfo;
  /** The headers of the request, repeated ones as lists; set by authentication. */
  headers: Headers = {};
  user = noUser;
  /** The value of `performance.now()` at which the request times out; Infinity for long-running requests. */
  deadline = Infinity;
  /** Counts the answer; set when the request is routed. */
  metrics: RequestMetrics | undefined;
  dryRun = false;
  /** Milliseconds for which it waited for webhooks, or in a queue. */
  waitedMs = 0;
  /** Its entry in the set of requests that are being served. */
  registration: Registration | undefined;
  /** The count that includes it while it is served. */
  countedIn: InFlightCount | undefined;
  /** Records the request for the audit log; undefined when it is not audited. */
  audit: AuditTrail | undefined;
  /** The status code of the answer; 0 before the answer, and for upgrades. */
  code = 0;
  /** The seats that it holds. */
  ticket: Ticket | undefined;
  #onceDone: ((bytes: number) => void) | undefined;
  readonly #onDone: (request: Request) => void;
  #query: Query | undefined;
  #body: Promise<Buffer> | undefined;
  /** The body once it has arrived. Handlers that find it here need not wait for the promise of `body`. */
  arrivedBody: Buffer | undefined;
  #headers: ResponseHeaders | undefined;
  #warnings: Set<string> | undefined;
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

  /** Aborts `signal`: the answer is no longer needed. */
  abort(reason: Error): void {
    this.#aborted ??= reason;
    this.#controller?.abort(reason);
  }

  /** Returns the whole body, which is read once. Rejects with 413 beyond `limit` bytes. */
  body(limit: number): Promise<Buffer> {
    return (this.#body ??= this.exchange.body(limit));
  }

  get wholeBody(): Promise<Buffer> | undefined {
    return this.#body;
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

  /** Adds time for which the request waited for webhooks, or in a queue. */
  waited(milliseconds: number): void {
    this.waitedMs += milliseconds;
  }

  warn(text: string): void {
    const warnings = (this.#warnings ??= new Set());
    if (warnings.size < maxWarnings) warnings.add(text);
  }

  annotate(key: string, value: string): void {
    this.audit?.annotate(key, value);
  }

  /** Adds headers to the answer, also if it is an error. */
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

  /** Seconds since its arrival. */
  get seconds(): number {
    return (performance.now() - this.received) / 1000;
  }

  /** True once the request is answered, or will not be. */
  get ended(): boolean {
    return this.#done;
  }

  /** Registers a listener that is called once at the end of the request, however it ends, with the bytes of its answer. */
  onceDone(listener: (bytes: number) => void): void {
    const before = this.#onceDone;
    this.#onceDone = before
      ? bytes => {
          before(bytes);
          listener(bytes);
        }
      : listener;
  }

  /** Ends the request: its answer was sent, or cannot be sent. Only the first call counts it. */
  done(code: number, bytes: number): void {
    if (this.#done) return;
    this.code = code;
    this.metrics?.done(code, this.seconds, bytes, this);
    this.#end(bytes);
  }

  /** Ends a request that is counted elsewhere (watches, upgrades). */
  release(): void {
    if (!this.#done) this.#end(0);
  }

  #end(bytes: number): void {
    this.#done = true;
    this.ticket?.finish();
    this.countedIn?.left();
    this.#onceDone?.(bytes);
    this.#onDone(this);
  }
}
