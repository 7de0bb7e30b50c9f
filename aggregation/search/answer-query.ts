/** Serves `search/cache?q=...`: the mirrored objects of all kinds that match a query, page by page, with counts. */
// differs: Karmada has no such search without a backend store
import type { Identity } from '../../apimachinery/identity.js';
import { badRequest, serviceUnavailable } from '../../apimachinery/errors/status.js';
import type { RequestContext } from '../../apiserver/interface.js';
import type { Authorizer } from '../../registry/access.js';
import { inTimeSlices, type InSteps, Strides, TimeSlice } from '../../lib/time-slice.js';
import { writeList } from '../proxy/list-writer.js';
import { matchingBits, selectsCollection } from '../search-index/matching-bits.js';
import type { NamespaceMatches } from '../search-index/object-groups.js';
import { parseSearchQuery, type SearchQuery } from '../search-index/search-query.js';
import type { Caches, Collection } from './caches.js';
import { compareTexts } from '../../lib/collections/compare-texts.js';
import { Facets } from './facets.js';
import { isWithin } from './selection.js';

export interface QueryDeps {
  readonly caches: Caches;
  readonly authorize: Authorizer;
}

/** Objects of a page: by default, and at most. */
const defaultLimit = 100;
const maxLimit = 500;

/** Where a page ends: the last object of it. */
interface Position {
  readonly cluster: string;
  readonly resource: string;
  readonly key: string;
}

const writePosition = (position: Position): string => Buffer.from(JSON.stringify(position)).toString('base64url');

function readPosition(token: string): Position {
  try {
    const value = JSON.parse(Buffer.from(token, 'base64url').toString('utf8')) as Partial<Position> | null;
    const { cluster, resource, key } = value ?? {};
    if (typeof cluster === 'string' && typeof resource === 'string' && typeof key === 'string')
      return { cluster, resource, key };
  } catch {
    // The token is malformed.
  }
  throw badRequest('invalid value for the parameter continue');
}

function readLimit(text: string | undefined): number {
  if (text === undefined || text === '') return defaultLimit;
  if (!/^\d{1,9}$/.test(text)) throw badRequest(`invalid value for the parameter limit: ${text}`);
  return Math.min(Number(text), maxLimit) || defaultLimit;
}

/** Decides in which namespaces a user may list a resource of the control plane. */
class VisibleNamespaces {
  readonly #user: Identity;
  readonly #authorize: Authorizer;
  readonly #collection: Collection;
  readonly #known = new Map<string, boolean>();

  constructor(user: Identity, authorize: Authorizer, collection: Collection) {
    this.#user = user;
    this.#authorize = authorize;
    this.#collection = collection;
  }

  /** Reports whether the user may list all objects (''), or those of a namespace. */
  async allows(namespace: string): Promise<boolean> {
    const known = this.#known.get(namespace);
    if (known !== undefined) return known;
    const attributes = { type: 'resource', verb: 'list', subresource: '', name: '', namespace } as const;
    const decision = await this.#authorize(this.#user, { ...attributes, ...this.#collection.resource });
    this.#known.set(namespace, decision.allowed);
    return decision.allowed;
  }
}

/** The answer to one query, which grows collection by collection. */
class QueryAnswer {
  readonly facets = new Facets();
  readonly page: { readonly collection: Collection; readonly key: string }[] = [];
  total = 0;
  /** The number of matches before the page. */
  #earlier = 0;
  readonly #after: Position | undefined;
  readonly #limit: number;

  constructor(limit: number, after: Position | undefined) {
    this.#limit = limit;
    this.#after = after;
  }

  /** The number of matches after the page. */
  get remaining(): number {
    return this.total - this.#earlier - this.page.length;
  }

  get token(): string | undefined {
    const last = this.page.at(-1);
    if (!last || this.remaining <= 0) return undefined;
    return writePosition({ cluster: last.collection.cluster, resource: last.collection.id, key: last.key });
  }

  /**
   * Adds the matches of the next collection in the namespaces that the user sees. It must be called in the order of clusters and resources. `bits`: the
   * numbers of all matches.
   */
  *add(collection: Collection, bits: Uint32Array, namespaces: readonly NamespaceMatches[]): InSteps<void> {
    let matches = 0;
    const strides = new Strides();
    for (const each of namespaces) {
      this.facets.add(collection, each);
      matches += each.matches;
      if (strides.isOver) yield;
    }
    this.total += matches;
    const order = this.#after ? orderOf(collection, this.#after) : 1;
    const limit = this.#limit - this.page.length;
    const objects = collection.text?.index.objects;
    if (order < 0) this.#earlier += matches;
    if (order < 0 || matches === 0 || limit === 0 || !objects) return;
    const after = order === 0 ? (this.#after?.key ?? '') : '';
    if (after !== '') this.#earlier += yield* objects.countUpTo(bits, after, namespaces);
    for (const key of yield* objects.lowestKeys(bits, namespaces, { limit, after }))
      this.page.push({ collection, key });
  }
}

const orderOf = (collection: Collection, { cluster, resource }: Position): number =>
  compareTexts(collection.cluster, cluster) || compareTexts(collection.id, resource);

/** Adds the objects of a collection that match and that the user may list. */
async function search(
  collection: Collection,
  query: SearchQuery,
  answer: QueryAnswer,
  visible: VisibleNamespaces,
): Promise<void> {
  const { cluster, kind, resource, text } = collection;
  if (!text || !selectsCollection(query, { cluster, kinds: [kind, resource.resource] })) return;
  const { index } = text;
  const bits = await inTimeSlices(matchingBits(index, query));
  const found = await inTimeSlices(index.objects.count(bits));
  const all = found.length > 0 && (await visible.allows(''));
  const shown: NamespaceMatches[] = [];
  const slice = new TimeSlice();
  for (const each of found) {
    const pause = slice.pause();
    if (pause) await pause;
    const { namespace } = each;
    if (!isWithin(collection, namespace)) continue;
    if (all || (namespace !== '' && (await visible.allows(namespace)))) shown.push(each);
  }
  await inTimeSlices(answer.add(collection, bits, shown));
}

/** Answers the query with the objects for which the user may list the kind in the control plane. Throws 400 for an invalid query. */
export async function answerQuery(context: RequestContext, text: string, deps: QueryDeps): Promise<void> {
  const query = parseSearchQuery(text);
  const token = context.query.get('continue');
  const answer = new QueryAnswer(readLimit(context.query.get('limit')), token ? readPosition(token) : undefined);
  const visible = new Map<string, VisibleNamespaces>();
  let isComplete = true;
  for (const collection of deps.caches.all()) {
    const { id, text: index } = collection;
    if (!index) throw serviceUnavailable('the search is disabled');
    isComplete &&= index.isComplete;
    const rights = visible.get(id) ?? new VisibleNamespaces(context.user, deps.authorize, collection);
    visible.set(id, rights);
    await search(collection, query, answer, rights);
  }
  if (!isComplete) context.warn('the search index is incomplete: some objects are not found');
  const { total, remaining, token: next } = answer;
  const facets = await inTimeSlices(answer.facets.shown());
  const metadata = next === undefined ? {} : { continue: next, remainingItemCount: remaining };
  const head = { kind: 'List', apiVersion: 'v1', metadata, total, facets };
  function* items(): Generator<readonly Buffer[] | undefined> {
    for (const { collection, key } of answer.page) {
      const object = collection.informer.get(key);
      yield object && [object.json];
    }
  }
  const headers = { ...context.answerHeaders(), 'content-type': 'application/json; charset=utf-8' };
  await writeList(context, headers, [`${JSON.stringify(head).slice(0, -1)},"items":[`, ']}\n'], items());
}
