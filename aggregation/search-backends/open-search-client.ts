/** Requests to an OpenSearch, by its official client. Answers are read here, since the client reads them without a limit, and at once. */
import type { Readable } from 'node:stream';
import { Client } from '@opensearch-project/opensearch';
import { annotations } from '../../api/karmada/well-known.js';
import { isMap } from '../../lib/json/is-map.js';
import { ExpectedError } from '../../lib/logging/cause.js';
import { BadAnswer } from '../remote/bad-answer.js';
import { collectBody, lateAnswer } from '../remote/body-limit.js';
import { maxMessageLength, maxObjectBytes } from '../remote/limits.js';
import { readBounded } from '../remote/read-json.js';
import type { OpenSearchSettings } from './interface.js';
import { indexSettings } from './mapping.js';

/** Milliseconds for an answer; with several addresses, for each of them. */
const answerMs = 30_000;
/** The statuses with which an address, or the proxy before it, says that another one may answer. */
const unavailable: readonly number[] = [502, 503, 504];
/** Documents of one page of a scroll, which the OpenSearch reads as a whole, and how long the next page may take. */
const pageSize = 100;
const scrollTime = '1m';
/** The parts of a document that tell whose it is. */
const ownerFields = [
  'apiVersion',
  'kind',
  'metadata.namespace',
  `metadata.annotations.${annotations.cachedFromCluster}`,
];

/** What became of one operation of a bulk request. */
export interface BulkResult {
  readonly status: number;
  /** The type of the error, and its reason. */
  readonly error: string;
}

/** What tells whose a document is; '' for what it does not have. */
export interface StoredDocument {
  /** The uid of the object. */
  readonly id: string;
  readonly cluster: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
}

interface ErrorBody {
  readonly type?: string;
  readonly reason?: string;
}

interface ItemResult {
  readonly status?: number;
  readonly error?: ErrorBody;
}

interface Request {
  readonly method: 'PUT' | 'POST' | 'DELETE';
  readonly path: string;
  readonly querystring?: Readonly<Record<string, string | number>>;
  readonly body?: object;
  /** Lines of JSON, instead of a body. */
  readonly bulkBody?: string;
}

interface Received {
  readonly status: number;
  readonly bytes: Buffer;
}

interface Hit {
  readonly _id?: string;
  readonly _source?: {
    readonly apiVersion?: string;
    readonly kind?: string;
    readonly metadata?: {
      readonly namespace?: string;
      readonly annotations?: Readonly<Record<string, string>> | null;
    };
  };
}

interface ScrollPage {
  readonly _scroll_id?: string;
  readonly hits?: { readonly hits?: readonly Hit[] };
}

/** The failure of a whole request. */
export class RequestError extends ExpectedError {
  /** 0 without an answer. */
  readonly status: number;
  /** The type of the error in the answer of an OpenSearch; '' without one, as from a proxy. */
  readonly type: string;

  constructor(error: unknown) {
    const { message, statusCode, body } = error as {
      readonly message?: string;
      readonly statusCode?: number;
      readonly body?: { readonly error?: { readonly type?: unknown } } | string | null;
    };
    super(message ?? 'the request failed');
    this.status = typeof statusCode === 'number' ? statusCode : 0;
    const type = typeof body === 'object' ? body?.error?.type : undefined;
    this.type = typeof type === 'string' ? type : '';
  }
}

async function attempt<T>(request: () => Promise<T>): Promise<T> {
  try {
    return await request();
  } catch (error) {
    throw new RequestError(error);
  }
}

/** Returns the first characters of the text of an error, which is written to logs. */
const shortened = (text: string): string => text.slice(0, maxMessageLength);

/** Returns the error of an answer with an error status. That of a proxy may be no JSON, or have no type. */
async function answerError({ status, bytes }: Received): Promise<Error> {
  const refuse = (fault: string): never => {
    throw new BadAnswer('the error', fault);
  };
  const body = await Promise.resolve()
    .then(() => readBounded(bytes, refuse))
    .catch(() => undefined);
  const error = isMap(body) ? (body['error'] as ErrorBody | undefined) : undefined;
  const reason = typeof error?.reason === 'string' ? error.reason : '';
  const type = typeof error?.type === 'string' ? error.type : '';
  const text = type === '' ? `the answer has the status ${status}` : `${type}: ${reason}`;
  return Object.assign(new Error(shortened(text)), { statusCode: status, body });
}

/** A client of one OpenSearch, which may have several addresses. The methods reject with RequestError. */
export class OpenSearchClient {
  readonly #client: Client;
  /** The number of addresses that are asked one after the other. */
  readonly #addresses: number;

  constructor({ addresses, username, password, ca }: OpenSearchSettings) {
    this.#addresses = addresses.length;
    this.#client = new Client({
      nodes: [...addresses],
      ...(username !== '' && { auth: { username, password } }),
      ...(ca !== '' && { ssl: { ca } }),
      requestTimeout: answerMs,
      // Another address is tried at once; everything else is tried again by the queue.
      maxRetries: addresses.length - 1,
    });
  }

  /** Creates an index, unless there is one. */
  async createIndex(index: string): Promise<void> {
    try {
      await this.#ask({ method: 'PUT', path: `/${encodeURIComponent(index)}`, body: indexSettings });
    } catch (error) {
      if (!(error instanceof RequestError) || error.type !== 'resource_already_exists_exception') throw error;
    }
  }

  /** Sends operations, as lines of JSON. Returns what became of each. */
  async bulk(lines: string): Promise<readonly BulkResult[]> {
    const answer = await this.#ask({ method: 'POST', path: '/_bulk', bulkBody: lines });
    const items = Array.isArray(answer['items']) ? (answer['items'] as readonly unknown[]) : [];
    return items.map(item => {
      const result: unknown = isMap(item) ? Object.values(item)[0] : undefined;
      const { status = 0, error }: ItemResult = isMap(result) ? result : {};
      return { status, error: error ? shortened(`${error.type ?? ''}: ${error.reason ?? ''}`) : '' };
    });
  }

  /** Yields the owners of the documents of an index page by page. A query cannot select them: Karmada's mapping does not index annotations. */
  async *documents(index: string): AsyncGenerator<readonly StoredDocument[], void> {
    const path = `/${encodeURIComponent(index)}/_search`;
    const querystring = { scroll: scrollTime, size: pageSize };
    const query = { sort: ['_doc'], _source: ownerFields };
    let page: ScrollPage = await this.#ask({ method: 'POST', path, querystring, body: query });
    const scrollId = (): string => page._scroll_id ?? '';
    const scroll = '/_search/scroll';
    try {
      for (;;) {
        const hits = (page.hits?.hits ?? []).slice(0, pageSize);
        if (hits.length === 0) return;
        yield hits.map(({ _id = '', _source }) => ({
          id: _id,
          cluster: _source?.metadata?.annotations?.[annotations.cachedFromCluster] ?? '',
          apiVersion: _source?.apiVersion ?? '',
          kind: _source?.kind ?? '',
          namespace: _source?.metadata?.namespace ?? '',
        }));
        const body = { scroll_id: scrollId(), scroll: scrollTime };
        page = await this.#ask({ method: 'POST', path: scroll, body });
      }
    } finally {
      const ended = this.#ask({ method: 'DELETE', path: scroll, body: { scroll_id: [scrollId()] } });
      await ended.then(
        () => undefined,
        () => undefined, // It ends by itself after a minute.
      );
    }
  }

  close(): Promise<void> {
    return this.#client.close();
  }

  /** Sends a request, and returns the answer, whose size, number of values and time are limited. */
  #ask(request: Request): Promise<Readonly<Record<string, unknown>>> {
    const what = `${request.method} ${request.path}`;
    const refuse = (fault: string): never => {
      throw new BadAnswer(what, fault);
    };
    return attempt(async () => {
      const deadline = performance.now() + answerMs * this.#addresses;
      let received = await this.#receive(request, what, deadline);
      for (let asked = 1; asked < this.#addresses && unavailable.includes(received.status); asked++)
        received = await this.#receive(request, what, deadline);
      if (received.status >= 400) throw await answerError(received);
      const answer = await readBounded(received.bytes, refuse);
      return isMap(answer) ? answer : refuse('it is no JSON object');
    });
  }

  /** Sends a request to an address, and to others as long as there is no answer. */
  async #receive(request: Request, what: string, deadline: number): Promise<Received> {
    const sent = this.#client.transport.request({ ...request }, { asStream: true });
    let body: Readable | undefined;
    const read = async (): Promise<Received> => {
      const answer = await sent;
      const { meta } = answer;
      const status = answer.statusCode ?? 0;
      body = answer.body as Readable;
      const { connectionPool } = this.#client;
      try {
        const bytes = await collectBody(body, { maxBytes: maxObjectBytes, deadline, request: what });
        // The client leaves this to the reader of a stream. A dead address is asked again later.
        if (unavailable.includes(status)) connectionPool.markDead(meta.connection);
        else connectionPool.markAlive(meta.connection);
        return { status, bytes };
      } catch (error) {
        connectionPool.markDead(meta.connection);
        throw error;
      }
    };
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_resolve, reject) => {
      const end = (): void => {
        reject(lateAnswer(what));
        if (body) body.destroy();
        else sent.abort();
      };
      timer = setTimeout(end, deadline - performance.now());
    });
    try {
      return await Promise.race([read(), late]);
    } finally {
      clearTimeout(timer);
    }
  }
}
