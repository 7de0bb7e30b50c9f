/** Requests to an OpenSearch, by its official client. */
import { Client } from '@opensearch-project/opensearch';
import { annotations } from '../../api/karmada/well-known.js';
import { ExpectedError } from '../../lib/logging/cause.js';
import type { OpenSearchSettings } from './interface.js';
import { indexSettings } from './mapping.js';

/** Milliseconds for an answer. */
const answerMs = 30_000;
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

interface ItemResult {
  readonly status?: number;
  readonly error?: { readonly type?: string; readonly reason?: string };
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

/** Its methods reject with RequestError. */
export class OpenSearchClient {
  readonly #client: Client;

  constructor({ addresses, username, password, ca }: OpenSearchSettings) {
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
    await attempt(async () => {
      try {
        await this.#client.indices.create({ index, body: indexSettings });
      } catch (error) {
        if (!String((error as Error).message).includes('resource_already_exists_exception')) throw error;
      }
    });
  }

  /** Sends operations, as lines of JSON. Returns what became of each. */
  bulk(lines: string): Promise<readonly BulkResult[]> {
    return attempt(async () => {
      const answer = await this.#client.transport.request({ method: 'POST', path: '/_bulk', bulkBody: lines });
      const { items = [] } = answer.body as { readonly items?: readonly Readonly<Record<string, ItemResult>>[] };
      return items.map(item => {
        const { status = 0, error } = Object.values(item)[0] ?? {};
        return { status, error: error ? `${error.type ?? ''}: ${error.reason ?? ''}` : '' };
      });
    });
  }

  /** Yields the owners of the documents of an index page by page. A query cannot select them: Karmada's mapping does not index annotations. */
  async *documents(index: string): AsyncGenerator<readonly StoredDocument[], void> {
    const query = { sort: ['_doc'], _source: ownerFields };
    let page = await attempt(async () => {
      const { body } = await this.#client.search({ index, scroll: scrollTime, size: pageSize, body: query });
      return body as ScrollPage;
    });
    const scrollId = (): string => page._scroll_id ?? '';
    try {
      for (;;) {
        const hits = page.hits?.hits ?? [];
        if (hits.length === 0) return;
        yield hits.map(({ _id = '', _source }) => ({
          id: _id,
          cluster: _source?.metadata?.annotations?.[annotations.cachedFromCluster] ?? '',
          apiVersion: _source?.apiVersion ?? '',
          kind: _source?.kind ?? '',
          namespace: _source?.metadata?.namespace ?? '',
        }));
        page = await attempt(async () => {
          const { body } = await this.#client.scroll({ body: { scroll_id: scrollId(), scroll: scrollTime } });
          return body as ScrollPage;
        });
      }
    } finally {
      const ended = this.#client.clearScroll({ body: { scroll_id: [scrollId()] } });
      await ended.then(
        () => undefined,
        () => undefined, // It ends by itself after a minute.
      );
    }
  }

  close(): Promise<void> {
    return this.#client.close();
  }
}
