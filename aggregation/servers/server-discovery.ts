import { ExpectedError } from '../../lib/logging/cause.js';
import { nextTurn } from '../../lib/time-slice.js';
import { createKeyedRunner, type KeyedRunner } from '../../registry/dynamic/keyed-runner.js';
import type { Answer } from '../remote/answer.js';
import { BadAnswer } from '../remote/bad-answer.js';
import { maxErrorBytes, sizeText } from '../remote/limits.js';
import { readBounded } from '../remote/read-json.js';
import { type DiscoveredResource, documentHash, fromAggregated, fromResourceList } from './discovery-documents.js';
import type { ServerConnections } from './server-connections.js';
import type { ServerReference } from './server-reference.js';
import { answerMs, ask, type ServerRequest, versionPath } from './server-requests.js';

/**
 * Milliseconds after which the discovery of a server is read again, and after failures at most. as kube-aggregator/pkg/apiserver
 * discoveryRefreshInterval
 */
const refreshMs = 60_000;
/** Milliseconds after the first failure, doubled with every further one. */
const firstRetryMs = 500;
/** Maximum bytes of a document, which is parsed in one turn of the event loop. */
const maxDocumentBytes = 4 * 1024 * 1024;
/** Maximum characters of the resources of one group version: all documents of this server contain them. */
const maxTextLength = 2 * 1024 * 1024;

/** Bytes of a document from which on its parsing and its use have turns of their own. */
const largeBytes = 64 * 1024;

const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json';

/** What is known of a group version. */
interface VersionDiscovery {
  /** Whether the last attempt to read it has failed, or there was none. */
  readonly isStale: boolean;
  /** The resources as they were last read. */
  readonly resources: readonly DiscoveredResource[];
  /** The hash of its OpenAPI v3 document; undefined if the server has none. */
  readonly openApiHash?: string | undefined;
}

export interface DiscoveredVersion {
  readonly group: string;
  readonly version: string;
  readonly reference: ServerReference;
  readonly isAvailable: boolean;
}

interface Followed {
  version: DiscoveredVersion;
  discovery: VersionDiscovery;
  /** The JSON of the resources. */
  text: string;
  /** The ETag of the document with the resources; absent if the server sends none. */
  etag: string | undefined;
  failures: number;
  timer: NodeJS.Timeout | undefined;
}

interface DiscoveryOptions {
  readonly connections: ServerConnections;
  /** Called when the discovery of a group version has changed. */
  readonly onChange: () => void;
  readonly onError: (error: unknown, name: string) => void;
  readonly signal: AbortSignal;
}

/** The resources that were read, with the ETag of their document. */
interface ReadResources {
  readonly resources: readonly DiscoveredResource[];
  readonly etag: string | undefined;
}

const unread: VersionDiscovery = { isStale: true, resources: [] };

/** Reads the discovery of group versions from their servers, now and again. as kube-aggregator/pkg/apiserver discoveryManager */
export class ServerDiscovery {
  readonly #options: DiscoveryOptions;
  /** By `GROUP/VERSION`. */
  readonly #followed = new Map<string, Followed>();
  readonly #reads: KeyedRunner;

  constructor(options: DiscoveryOptions) {
    this.#options = options;
    this.#reads = createKeyedRunner(name => this.#read(name), options);
    options.signal.addEventListener('abort', () => {
      for (const { timer } of this.#followed.values()) clearTimeout(timer);
    });
  }

  /** Returns what is known of a group version. */
  of(name: string): VersionDiscovery {
    return this.#followed.get(name)?.discovery ?? unread;
  }

  /** Follows a group version, and reads its discovery now if its server has changed or is available again. */
  follow(name: string, version: DiscoveredVersion): void {
    const known = this.#followed.get(name);
    const fresh = { version, discovery: unread, text: '[]', etag: undefined, failures: 0, timer: undefined };
    if (!known) this.#followed.set(name, fresh);
    else {
      const isSame = known.version.reference.id === version.reference.id;
      if (isSame && known.version.isAvailable === version.isAvailable) return;
      known.version = version;
      if (!isSame) known.etag = undefined;
    }
    this.#reads.run(name);
  }

  forget(name: string): void {
    clearTimeout(this.#followed.get(name)?.timer);
    this.#followed.delete(name);
  }

  /** Resolves when no request is under way any more, after the signal has aborted. */
  idle(): Promise<void> {
    return this.#reads.idle();
  }

  async #read(name: string): Promise<void> {
    const followed = this.#followed.get(name);
    if (!followed) return;
    const { version } = followed;
    let failure: unknown;
    try {
      if (!version.isAvailable) throw new ExpectedError('the server is not available');
      const found = await this.#resources(followed);
      if (this.#isCurrent(name, followed, version) && found) this.#take(followed, found);
    } catch (error) {
      if (!(error instanceof ExpectedError)) throw error;
      failure = error;
    }
    if (!this.#isCurrent(name, followed, version)) return;
    this.#settle(name, followed, failure);
    if (failure !== undefined) return;
    const hash = await this.#openApiHash(version);
    if (this.#isCurrent(name, followed, version)) this.#document(followed, hash);
  }

  #isCurrent(name: string, followed: Followed, version: DiscoveredVersion): boolean {
    return this.#followed.get(name) === followed && followed.version === version && !this.#options.signal.aborted;
  }

  #take(followed: Followed, { resources, etag }: ReadResources): void {
    const text = JSON.stringify(resources);
    if (text.length > maxTextLength)
      throw new ExpectedError(`the discovery of the group version is longer than ${sizeText(maxTextLength)}`);
    followed.etag = etag;
    if (followed.text === text) return;
    followed.text = text;
    followed.discovery = { ...followed.discovery, resources };
    this.#options.onChange();
  }

  #document(followed: Followed, openApiHash: string | undefined): void {
    if (followed.discovery.openApiHash === openApiHash) return;
    followed.discovery = { ...followed.discovery, openApiHash };
    this.#options.onChange();
  }

  /** Reads which OpenAPI document the server has. A failure does not matter: OpenAPI does not decide what is served. */
  async #openApiHash({ reference, group, version }: DiscoveredVersion): Promise<string | undefined> {
    const { connections, signal } = this.#options;
    try {
      const origin = await connections.originOf(reference);
      const { document } = await readDocument(connections, { reference, origin, signal, path: '/openapi/v3' });
      return documentHash(document, group, version);
    } catch {
      return undefined;
    }
  }

  /** Notes whether a read has failed, and plans the next one. An unavailable server is asked when it is available again. */
  #settle(name: string, followed: Followed, failure: unknown): void {
    const isStale = failure !== undefined;
    const waitMs = isStale ? Math.min(firstRetryMs * 2 ** followed.failures, refreshMs) : refreshMs;
    followed.failures = isStale ? followed.failures + 1 : 0;
    clearTimeout(followed.timer);
    if (followed.version.isAvailable) followed.timer = setTimeout(() => this.#reads.run(name), waitMs).unref();
    if (followed.discovery.isStale === isStale) return;
    followed.discovery = { ...followed.discovery, isStale };
    this.#options.onChange();
  }

  /** Resolves with undefined if the document still has the known ETag. */
  async #resources({ version, etag }: Followed): Promise<ReadResources | undefined> {
    const { connections, signal } = this.#options;
    const { reference, group, version: name } = version;
    const origin = await connections.originOf(reference).catch((error: unknown) => {
      throw new ExpectedError((error as Error).message, { cause: error });
    });
    const request = { reference, origin, signal };
    const headers = { accept, ...(etag !== undefined && { 'if-none-match': etag }) };
    const root = await readDocument(connections, { ...request, path: '/apis', headers });
    if (root.status === 304 && etag !== undefined) return undefined;
    if (root.status === 503) throw new ExpectedError('the server has answered /apis with 503');
    const resources = root.status === 200 ? fromAggregated(root.document, group, name) : undefined;
    if (resources) return { resources, etag: root.etag };
    const path = versionPath(group, name);
    const legacy = await readDocument(connections, { ...request, path });
    if (legacy.status !== 200) throw new ExpectedError(`the server has answered ${path} with ${legacy.status}`);
    return { resources: fromResourceList(legacy.document), etag: undefined };
  }
}

interface ReadDocument {
  readonly status: number;
  readonly document: unknown;
  readonly etag: string | undefined;
}

/** Reads a JSON document. Its size, the number of its values and its time are limited. */
const readDocument = (connections: ServerConnections, request: ServerRequest): Promise<ReadDocument> =>
  ask(connections, request, async (answer: Answer) => {
    const { status, headers } = answer;
    const what = `GET ${request.origin}${request.path}`;
    const maxBytes = status === 200 ? maxDocumentBytes : maxErrorBytes;
    const bytes = await answer.whole({ maxBytes, deadline: performance.now() + answerMs, request: what });
    const refuse = (fault: string): never => {
      throw new BadAnswer(what, fault);
    };
    const document = status === 200 ? await readBounded(bytes, refuse) : undefined;
    if (bytes.length > largeBytes) await nextTurn(); // Parsing has taken a part of the turn.
    return { status, document, etag: typeof headers.etag === 'string' ? headers.etag : undefined };
  });
