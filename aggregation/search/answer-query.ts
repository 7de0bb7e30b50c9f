/** Serves `search/cache?q=...`: the mirrored objects of all kinds that match a query, page by page, with counts. */
// differs: Karmada has no such search without a backend store
import type { Identity } from '../../apimachinery/identity.js';
import { badRequest, serviceUnavailable } from '../../apimachinery/errors/status.js';
import type { RequestContext } from '../../apiserver/interface.js';
import type { Authorizer } from '../../registry/access.js';
import { inTimeSlices, type InSteps, Strides } from '../../lib/time-slice.js';
import { LowestTexts } from '../../lib/collections/lowest-texts.js';
import { writeList } from '../proxy/list-writer.js';
import { matchingBits, selectsCollection } from '../search-index/matching-bits.js';
import { marked } from '../search-index/postings.js';
import { parseSearchQuery, type SearchQuery } from '../search-index/search-query.js';
import type { CollectionIndex } from '../search-index/collection-index.js';
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

/** The numbers of the objects of a collection that match, by their namespaces. */
function* byNamespace(
  collection: Collection,
  index: CollectionIndex,
  bits: Uint32Array,
): InSteps<ReadonlyMap<string, readonly number[]>> {
  const found = new Map<string, number[]>();
  const strides = new Strides(256);
  for (const number of marked(bits)) {
    if (strides.isOver) yield;
    const object = index.at(number);
    if (!object || !isWithin(collection, object.namespace)) continue;
    const list = found.get(object.namespace);
    if (list) list.push(number);
    else found.set(object.namespace, [number]);
  }
  return found;
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

  /** Adds the matches of the next collection. They must be called in the order of clusters and resources. */
  *add(collection: Collection, index: CollectionIndex, found: ReadonlyMap<string, readonly number[]>): InSteps<void> {
    const order = this.#after ? orderOf(collection, this.#after) : 1;
    const keys = new LowestTexts(order < 0 ? 0 : this.#limit - this.page.length);
    const strides = new Strides(256);
    for (const [namespace, numbers] of found) {
      const healths = new Map<string, number>();
      for (const number of numbers) {
        if (strides.isOver) yield;
        const object = index.at(number);
        if (!object) continue;
        this.total++;
        healths.set(object.health, (healths.get(object.health) ?? 0) + 1);
        if (order < 0 || (order === 0 && object.key <= (this.#after?.key ?? ''))) this.#earlier++;
        else keys.add(object.key);
      }
      this.facets.add(collection, namespace, healths);
    }
    for (const key of keys.sorted()) this.page.push({ collection, key });
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
  const found = await inTimeSlices(byNamespace(collection, index, bits));
  const all = found.size > 0 && (await visible.allows(''));
  const shown = new Map<string, readonly number[]>();
  for (const [namespace, some] of found)
    if (all || (namespace !== '' && (await visible.allows(namespace)))) shown.set(namespace, some);
  await inTimeSlices(answer.add(collection, index, shown));
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
  const metadata = next === undefined ? {} : { continue: next, remainingItemCount: remaining };
  const head = { kind: 'List', apiVersion: 'v1', metadata, total, facets: answer.facets };
  function* items(): Generator<readonly Buffer[] | undefined> {
    for (const { collection, key } of answer.page) {
      const object = collection.informer.get(key);
      yield object && [object.json];
    }
  }
  const headers = { ...context.answerHeaders(), 'content-type': 'application/json; charset=utf-8' };
  await writeList(context, headers, [`${JSON.stringify(head).slice(0, -1)},"items":[`, ']}\n'], items());
}
