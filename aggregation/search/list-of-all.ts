/** Lists over all mirrored clusters, page by page: from the mirrors, or from the members where those cannot answer. */
import { setMaxListeners } from 'node:events';
import type { ListMeta } from '../../apimachinery/interface.js';
import { continueExpired, internal, StatusError } from '../../apimachinery/errors/status.js';
import type { ListQuery } from '../../client/interface.js';
import type { RequestScope, ListAnswer, Stored } from '../../registry/pipeline/interface.js';
import { append } from '../../lib/collections/append.js';
import { eachInTurns, TimeSlice } from '../../lib/time-slice.js';
import { maxPages, pageSize } from '../remote/limits.js';
import { cache, type Cached } from './cached.js';
import type { Caches, Collection } from './caches.js';
import { isOlder } from './feed.js';
import type { HeldObjects } from './held-lists.js';
import { type MemberPage, requestMember } from './member-reads.js';
import { checkListOfAll } from './read-options.js';
import { isWithin, type MirrorSelection, mirrorSelection, resourceOf, selected } from './selection.js';
import { versionOf } from './sources.js';
import { readContinueToken, readVersions, type Versions, writeContinueToken } from './versions.js';

/** The number of clusters whose first pages are read before they are written. */
const maxAhead = 8;

/** What a list reads. */
export interface ListDeps {
  readonly caches: Caches;
  readonly held: HeldObjects;
}

/** Whether the mirror can answer: it is there, and new enough for the request. */
function isMirrored({ feed: { position }, keptPaths }: Collection, query: ListQuery, version: string): boolean {
  // A client that writes what it has read must have read the whole object.
  if (keptPaths || version === '' || position === undefined || query.continue || query.resourceVersionMatch === 'Exact')
    return false;
  // as apiserver/pkg/storage/cacher shouldDelegateList: a limited list is delegated to the member, unless any version will do.
  return version === '0' || (query.limit === undefined && !isOlder(position, version));
}

/** Returns a page from the mirror, in time slices. */
async function mirrored(collection: Collection, selection: MirrorSelection): Promise<MemberPage> {
  const { position = '' } = collection.feed;
  const items: Cached[] = [];
  const slice = new TimeSlice();
  for (const object of selected(collection, selection)) {
    const pause = slice.pause();
    if (pause) await pause;
    if (object) items.push(object);
  }
  return { items, heldBytes: 0, version: versionOf(position, items), token: '' };
}

async function requestPage(
  collection: Collection,
  query: ListQuery,
  { held, signal }: Pick<ListRequest, 'held' | 'signal'>,
): Promise<MemberPage> {
  const { items, metadata } = await requestMember(collection, client =>
    client.list(collection.resource, query, signal),
  );
  const seen = items.filter(each => isWithin(collection, each.metadata.namespace));
  const cached: Cached[] = [];
  await eachInTurns(seen, item => cached.push(cache(item, collection.cluster)), new TimeSlice());
  return {
    items: cached,
    heldBytes: held.take(cached, collection.cluster),
    version: metadata.resourceVersion ?? '',
    token: metadata.continue ?? '',
  };
}

interface ListRequest {
  readonly selection: MirrorSelection;
  readonly query: ListQuery;
  /** The requested versions by cluster. */
  readonly versions: Versions;
  /** Counts the objects that are read from members. */
  readonly held: HeldObjects;
  /** Aborts when the client has left or the list has ended: no member is asked for a page then, and running requests end. */
  readonly signal: AbortSignal;
}

/** Returns the query for a page of a cluster. `token`: where it continues; '' at its beginning. */
function memberQueryOf(
  { cluster }: Collection,
  { selection, query, versions }: ListRequest,
  limit: number | undefined,
  token: string,
): ListQuery {
  const { labelSelector, fieldSelector, resourceVersionMatch } = query;
  const version = token === '' ? versions.get(cluster) : '';
  return {
    ...(labelSelector === undefined ? {} : { labelSelector }),
    ...(fieldSelector === undefined ? {} : { fieldSelector }),
    ...(selection.namespace === '' ? {} : { namespace: selection.namespace }),
    ...(token === '' ? {} : { continue: token }),
    ...(version === '' ? {} : { resourceVersion: version }),
    ...(version === '' || resourceVersionMatch === undefined ? {} : { resourceVersionMatch }),
    ...(limit === undefined ? {} : { limit }),
  };
}

/** Returns the query for a page of a member. */
function pagedQuery(wanted: ListQuery): ListQuery {
  const { limit, resourceVersion = '0', resourceVersionMatch } = wanted;
  // as apiserver/pkg/storage GetListOptions: without a match, a version means that one or a later one; with a limit, that one exactly.
  const isMinimum = limit === undefined && resourceVersionMatch === undefined && resourceVersion !== '0';
  return {
    ...wanted,
    ...(isMinimum ? { resourceVersionMatch: 'NotOlderThan' } : {}),
    limit: Math.min(limit ?? pageSize, pageSize),
  };
}

/** Reads a page of a cluster: all of its mirror, or at most `left` objects of its member. */
function pageOf(
  collection: Collection,
  request: ListRequest,
  left: number | undefined,
  token: string,
): Promise<MemberPage> {
  const wanted = memberQueryOf(collection, request, left, token);
  return isMirrored(collection, wanted, wanted.resourceVersion ?? '')
    ? mirrored(collection, request.selection)
    : requestPage(collection, pagedQuery(wanted), request);
}

const isGone = (error: unknown): boolean => error instanceof StatusError && error.code === 410;

/** A list over all clusters, of which some pages are in memory: those that are written, and the first ones of the next clusters. */
export class ListOfAll {
  readonly #collections: readonly Collection[];
  readonly #request: ListRequest;
  readonly #limit: number | undefined;
  /** Where it begins. */
  readonly #start: number;
  readonly #startToken: string;
  /** The versions of the answer by cluster. */
  readonly #answered: Versions;
  /** Aborts when the list is read or has failed, so that no member is read for it any more. */
  readonly #ended = new AbortController();
  #count = 0;
  readonly #ahead = new Map<number, Promise<MemberPage>>();

  /** Throws for invalid parameters, or a continue token in a cluster that was removed, before any member is asked. */
  constructor({ caches, held }: ListDeps, call: RequestScope, query: ListQuery) {
    checkListOfAll(query);
    const selection = mirrorSelection(call, query);
    const position = query.continue === undefined ? undefined : readContinueToken(query.continue);
    const versions = readVersions(position?.versions ?? query.resourceVersion);
    const signal = AbortSignal.any([call.signal, this.#ended.signal]);
    setMaxListeners(0, signal); // Each page that is being read has some listeners.
    this.#request = { selection, query, versions, held, signal };
    this.#answered = readVersions(position?.versions);
    this.#collections = caches.collections(resourceOf(call));
    this.#limit = query.limit;
    this.#start = position ? this.#collections.findIndex(({ cluster }) => cluster === position.cluster) : 0;
    this.#startToken = position?.token ?? '';
    if (this.#start < 0) throw continueExpired();
  }

  /** Whether it takes little memory as a whole: it is one page, or all of it is in the mirrors. */
  get isSmall(): boolean {
    if (this.#limit !== undefined && this.#limit <= pageSize) return true;
    return this.#collections.every(each => {
      const wanted = memberQueryOf(each, this.#request, this.#limit, '');
      return isMirrored(each, wanted, wanted.resourceVersion ?? '');
    });
  }

  /** Reads all of it. Rejects if it is too long to be held. */
  async whole(): Promise<ListAnswer> {
    const items: Stored[] = [];
    const pages = this.#pages();
    try {
      for (;;) {
        const { done, value } = await pages.next();
        if (done) return { metadata: value, items };
        append(items, value.items);
      }
    } finally {
      this.#ended.abort();
    }
  }

  /** Yields the objects a page at a time, which is not held when the next one is asked for. Returns the metadata of the list. */
  async *parts(): AsyncGenerator<readonly Stored[], ListMeta> {
    const pages = this.#pages();
    try {
      for (;;) {
        const { done, value } = await pages.next();
        if (done) return value;
        if (value.items.length > 0) yield value.items;
        this.#request.held.release(value.heldBytes);
      }
    } finally {
      this.#ended.abort();
    }
  }

  /**
   * Yields the pages of the clusters in the order of their names, up to the limit. Returns the metadata of the list. No member is read after the
   * signal of the call has aborted: what needs it then throws.
   */
  async *#pages(): AsyncGenerator<MemberPage, ListMeta> {
    for (let i = this.#start; i < this.#collections.length; i++) {
      const token = yield* this.#pagesOf(i, i === this.#start ? this.#startToken : '');
      if (this.#isFull) return this.#endAt(token === '' ? this.#collections[i + 1] : this.#at(i), token);
    }
    return this.#endAt(undefined, '');
  }

  get #isFull(): boolean {
    return this.#limit !== undefined && this.#count >= this.#limit;
  }

  /** Yields the pages of a cluster from a token on; '': from its beginning. Returns the token where they continue, '' at their end. */
  async *#pagesOf(index: number, start: string): AsyncGenerator<MemberPage, string> {
    const collection = this.#at(index);
    let pages: readonly MemberPage[] =
      start === '' ? await this.#firstPages(index) : [await this.#page(collection, start)];
    for (let count = 1; ; count++) {
      const [page, ...rest] = pages as readonly [MemberPage, ...MemberPage[]];
      this.#answered.set(collection.cluster, page.version);
      this.#count += page.items.length;
      yield page;
      if (page.token === '' || this.#isFull) return page.token;
      if (count === maxPages)
        throw internal(`the list of cluster ${collection.cluster} has more than ${maxPages} pages`);
      pages = rest.length > 0 ? rest : [await this.#page(collection, page.token)];
    }
  }

  /**
   * Reads the first page of a cluster; the second one, too, if the first one was read while clusters before it were written. Its token may be too old by
   * now: then the first page is read again, as nothing of the cluster is written yet.
   */
  async #firstPages(index: number): Promise<readonly MemberPage[]> {
    const wasAhead = this.#ahead.has(index);
    const first = await this.#firstPage(index);
    if (!wasAhead || first.token === '') return [first];
    const collection = this.#at(index);
    try {
      return [first, await this.#page(collection, first.token)];
    } catch (error) {
      if (!isGone(error)) throw error;
      this.#request.held.release(first.heldBytes);
      return [await this.#page(collection, '')];
    }
  }

  /** Reads the first page of a cluster. Without a limit, those of the next ones are read at the same time, and fail before anything is passed on. */
  async #firstPage(index: number): Promise<MemberPage> {
    if (this.#limit !== undefined) return this.#page(this.#at(index), '');
    const end = Math.min(this.#collections.length, index + maxAhead);
    for (let i = index; i < end; i++)
      if (!this.#ahead.has(i)) {
        const page = this.#page(this.#at(i), '');
        page.catch(() => undefined); // It is awaited below.
        this.#ahead.set(i, page);
      }
    await Promise.all(this.#ahead.values());
    const page = this.#ahead.get(index) as Promise<MemberPage>;
    this.#ahead.delete(index);
    return page;
  }

  #at(index: number): Collection {
    return this.#collections[index] as Collection;
  }

  #page(collection: Collection, token: string): Promise<MemberPage> {
    const left = this.#limit === undefined ? undefined : this.#limit - this.#count;
    return pageOf(collection, this.#request, left, token);
  }

  /** Returns the metadata of a list that continues at a token of a cluster; undefined if this is its end. */
  #endAt(next: Collection | undefined, token: string): ListMeta {
    const answered = this.#answered;
    if (!next) return { resourceVersion: answered.toString() };
    for (const { cluster, feed } of this.#collections) {
      if (answered.has(cluster)) continue;
      const version = this.#versionFor(cluster, feed.position);
      if (version !== undefined) answered.set(cluster, version);
    }
    const resourceVersion = answered.toString();
    return {
      resourceVersion,
      continue: writeContinueToken({ versions: resourceVersion, cluster: next.cluster, token }),
    };
  }

  /** Returns the version at which a cluster will be listed that is not listed yet: the requested one, or the current one of its mirror. */
  #versionFor(cluster: string, current: string | undefined): string | undefined {
    const requested = this.#request.versions.get(cluster);
    return requested === '' || requested === '0' ? current : requested;
  }
}
