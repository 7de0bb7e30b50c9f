import { setMaxListeners } from 'node:events';
import type { GroupVersionResource, KubeList, KubeObject } from '../../apimachinery/interface.js';
import { jsonText } from '../../lib/json/json.js';
import { systemClock } from '../../lib/clock.js';
import type {
  CachedReader,
  DeleteOptions,
  ListerWatcher,
  ListQuery,
  ObjectKey,
  Patch,
  WatchQuery,
  WriteOptions,
} from '../../client/interface.js';
import type {
  Endpoint,
  HeldPart,
  PartOf,
  RawRequest,
  RawResponse,
  ReceivedEvent,
  RemoteClient,
  RemoteMapper,
  Scan,
} from '../interface.js';
import { BadAnswer } from './bad-answer.js';
import { connect, type Connection, type ConnectionOptions } from './connection.js';
import { createMapper } from './discovery.js';
import { receivedFailure } from './failure.js';
import { HeldReader } from './mirror/held-reader.js';
import type { HeldTexts } from './mirror/held-texts.js';
import { defaultMemoryLimit, maxListBytes } from './limits.js';
import { Mirroring } from './mirror/mirroring.js';
import { listParameters, pathOf, queryOf } from './paths.js';
import { readBounded, type Refuse } from './read-json.js';
import { receivedObject } from './received-object.js';

const patchTypes: Readonly<Record<Patch['type'], string>> = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
};

type GetOptions = NonNullable<Parameters<RemoteClient['get']>[2]>;

/** Attempts of a request that an overloaded server answers with 429 and Retry-After. as client-go/rest Request maxRetries */
const defaultAttempts = 5;
/** The part that mirrors hold if nothing else is asked for. */
const whole: HeldPart = {};
/** Maximum seconds of a Retry-After that is respected. */
const maxWaitSeconds = 30;

export interface RemoteOptions extends ConnectionOptions {
  /**
   * Attempts of a request that the server answers with 429 and Retry-After, which is waited for in between. 1: the caller gets the error. Of
   * discovery, only the documents of single group versions have several attempts; the kinds of one that fails count as unknown, not as missing.
   */
  readonly attempts?: number;
  /** Holds the rarely read objects of mirrors (`RemoteClient.holding`). The clients of several servers share it. Absent: they are held parsed. */
  readonly texts?: HeldTexts;
  /** Maximum memory in bytes of lists while they arrive. */
  readonly memoryLimit?: number | undefined;
}

class HttpClient implements RemoteClient {
  readonly mapper: RemoteMapper;
  /** The reader for mirrors, which hold parsed objects with their sizes. */
  readonly cached: CachedReader;
  readonly #server: string;
  readonly #connection: Connection;
  readonly #mirroring: Mirroring;
  readonly #attempts: number;
  readonly #texts: HeldTexts | undefined;
  /** Aborts when the client is closed: what waits for another attempt makes it at once, and fails as all requests do then. */
  readonly #closed = new AbortController();

  constructor(endpoint: Endpoint, { attempts = defaultAttempts, texts, ...options }: RemoteOptions) {
    const { memoryLimit = defaultMemoryLimit } = options;
    setMaxListeners(0, this.#closed.signal); // Each request that waits for another attempt is a listener.
    this.#attempts = attempts;
    this.#texts = texts;
    this.#server = endpoint.server;
    this.#connection = connect(endpoint, options);
    this.#mirroring = new Mirroring(endpoint.server, this.#connection, memoryLimit);
    const source = {
      root: (path: string, accept: string, etag: string | undefined) => this.#mirroring.groups(path, accept, etag),
      document: (path: string) => this.#document(path),
    };
    this.mapper = createMapper(source, Date.now);
    this.cached = new HeldReader({ mirroring: this.#mirroring, mapper: this.mapper }, () => whole);
  }

  holding(partOf: PartOf): ListerWatcher {
    return {
      list: (...args) => this.list(...args),
      watch: (...args) => this.watch(...args),
      cached: new HeldReader({ mirroring: this.#mirroring, mapper: this.mapper }, partOf, this.#texts),
    };
  }

  async get(resource: GroupVersionResource, key: ObjectKey, options: GetOptions = {}): Promise<KubeObject> {
    const { resourceVersion, subresource } = options;
    const path = pathOf(resource, key, subresource) + queryOf({ resourceVersion });
    return this.#object({ method: 'GET', path });
  }

  async list(resource: GroupVersionResource, query: ListQuery = {}, signal?: AbortSignal): Promise<KubeList> {
    const { list, items } = await this.#mirroring.page(resource, query, maxListBytes, { signal });
    return { ...list, items: items.map(({ object }) => object) };
  }

  each(...[resource, query, signal]: Parameters<RemoteClient['each']>): ReturnType<RemoteClient['each']> {
    return this.#mirroring.each(resource, query, { signal });
  }

  scan(resource: GroupVersionResource, query: ListQuery, scan: Scan): Promise<void> {
    return this.#mirroring.scan(resource, query, scan);
  }

  events(resource: GroupVersionResource, query: WatchQuery, signal: AbortSignal): AsyncGenerator<ReceivedEvent, void> {
    return this.#mirroring.events(resource, query, signal);
  }

  watch(resource: GroupVersionResource, query: WatchQuery, signal: AbortSignal): AsyncGenerator<ReceivedEvent, void> {
    return this.#mirroring.events(resource, query, signal);
  }

  async create(
    resource: GroupVersionResource,
    draft: KubeObject,
    { name, ...write }: WriteOptions & { readonly name?: string } = {},
  ): Promise<KubeObject> {
    const { namespace } = draft.metadata;
    const key = { ...(namespace ? { namespace } : {}), ...(name ? { name } : {}) };
    return this.#object(requestWith('POST', pathOf(resource, key, write.subresource) + writeQuery(write), draft));
  }

  async update(resource: GroupVersionResource, draft: KubeObject, write: WriteOptions = {}): Promise<KubeObject> {
    return this.#object(requestWith('PUT', objectPath(resource, draft, write) + writeQuery(write), draft));
  }

  async patch(
    resource: GroupVersionResource,
    key: ObjectKey,
    patch: Patch,
    write: WriteOptions = {},
  ): Promise<KubeObject> {
    const force = patch.type === 'apply' ? patch.force : undefined;
    const path = pathOf(resource, key, write.subresource) + writeQuery(write, { force });
    return this.#object(requestWith('PATCH', path, patch.patch, patchTypes[patch.type]));
  }

  async delete(resource: GroupVersionResource, key: ObjectKey, deletion: DeleteOptions = {}): Promise<void> {
    await this.#send(requestWith('DELETE', pathOf(resource, key), deleteBody(deletion)));
  }

  async deleteCollection(
    resource: GroupVersionResource,
    query: ListQuery = {},
    deletion: DeleteOptions = {},
  ): Promise<void> {
    const key = query.namespace ? { namespace: query.namespace } : {};
    const path = pathOf(resource, key) + queryOf(listParameters(query));
    const request = requestWith('DELETE', path, deleteBody(deletion));
    await this.#send({ ...request, maxBytes: maxListBytes }); // The answer contains the deleted objects.
  }

  raw(request: RawRequest): Promise<RawResponse> {
    return this.#connection.request(request);
  }

  close(): Promise<void> {
    this.#closed.abort();
    return this.#connection.close();
  }

  async #object(request: RawRequest): Promise<KubeObject> {
    const refuse = this.#refuseFor(request);
    return receivedObject(await readBounded(await this.#send(request), refuse), refuse);
  }

  async #document(path: string): Promise<unknown> {
    const request = { method: 'GET', path };
    return readBounded(await this.#send(request), this.#refuseFor(request));
  }

  #refuseFor({ method, path }: RawRequest): Refuse {
    return fault => {
      throw new BadAnswer(`${method} ${this.#server}${path.split('?')[0]}`, fault);
    };
  }

  /**
   * Returns the body of the answer. Repeats the request while the server is overloaded, if there are attempts left; rejects with the error of any
   * other failure.
   */
  async #send(request: RawRequest): Promise<Buffer> {
    for (let attempt = 1; ; attempt++) {
      const response = await this.#connection.request(request);
      const { status, body } = response;
      if (status < 300) return body;
      const wait = retryAfter(response);
      if (status !== 429 || wait === undefined || attempt >= this.#attempts) throw receivedFailure(status, body, wait);
      await systemClock.sleep(Math.min(wait, maxWaitSeconds) * 1000, this.#closed.signal);
    }
  }
}

/**
 * Returns a client of another API server over HTTP. An error answer that is no Status becomes one with its code and text. Calls reject with
 * BadAnswer when the server sends more than `limits.ts` allows, or an answer of the wrong form.
 */
export const remote = (endpoint: Endpoint, options: RemoteOptions): RemoteClient => new HttpClient(endpoint, options);

const requestWith = (method: string, path: string, value: unknown, type = 'application/json'): RawRequest => ({
  ...{ method, path, headers: { 'content-type': type }, body: Buffer.from(jsonText(value)) },
});

const writeQuery = (
  { fieldManager, dryRun }: WriteOptions,
  further: Record<string, boolean | undefined> = {},
): string => queryOf({ fieldManager, dryRun: dryRun ? 'All' : undefined, ...further });

function objectPath(resource: GroupVersionResource, { metadata }: KubeObject, { subresource }: WriteOptions): string {
  const { namespace, name = '' } = metadata;
  return pathOf(resource, { ...(namespace ? { namespace } : {}), name }, subresource);
}

function deleteBody({ dryRun, ...options }: DeleteOptions): unknown {
  return { kind: 'DeleteOptions', apiVersion: 'v1', ...options, ...(dryRun ? { dryRun: ['All'] } : {}) };
}

/** Returns the seconds of a Retry-After header; undefined if there is none, or if it is a date. */
function retryAfter({ headers }: RawResponse): number | undefined {
  const text = headers['retry-after'];
  return typeof text === 'string' && /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}
