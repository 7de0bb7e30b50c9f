/** Serves `search/cache/...`: the mirrored objects in one list. as pkg/registry/search/storage SearchREST.newCacheHandler */
import { apiVersionOf, gvrText, namespacedName } from '../../apimachinery/meta/gvk.js';
import { parseFieldSelector } from '../../apimachinery/selectors/field-selectors.js';
import { readSelector, type Selector } from '../../apimachinery/selectors/label-selectors.js';
import { methodNotAllowed, plainError } from '../../apimachinery/errors/status.js';
import type { Catalogue } from '../../registry/interface.js';
import type { RequestContext } from '../../apiserver/interface.js';
import type { Cached } from './cached.js';
import type { Collection } from './caches.js';
import { writeList } from '../proxy/list-writer.js';
import { type NativePath, parseNativePath } from './native-path.js';
import { answerQuery, type QueryDeps } from './answer-query.js';
import { isWithin, selected } from './selection.js';
import { kindOf } from './selected-resources.js';

interface SearchCacheDeps extends QueryDeps {
  readonly catalogue: Catalogue;
}

const noFields = parseFieldSelector('');

/** Responds with an error in the form of upstream's handler, which is not a Status. */
function respondError(context: RequestContext, code: number, error: string): void {
  const headers = { ...context.answerHeaders(), 'content-type': 'application/json' };
  context.exchange.respond(code, headers, Buffer.from(`${JSON.stringify({ error })}\n`));
}

/** Yields the objects of a mirror in the namespaces that registries select, as `selected` does; the mirror holds all namespaces. */
// differs: Karmada shows the objects of all namespaces, whatever the namespace of the registry's selector
function found(collection: Collection, path: NativePath, labels: Selector): Iterable<Cached | undefined> {
  const { namespace, name } = path;
  if (name === '')
    return selected(collection, {
      ...{ namespace, labels, fields: noFields },
      matches: ({ metadata }) => labels.matches(metadata.labels ?? {}),
    });
  return isWithin(collection, namespace) ? [collection.informer.get(namespacedName(namespace, name))] : [];
}

async function answerCache(
  context: RequestContext,
  path: NativePath,
  { caches, catalogue }: SearchCacheDeps,
): Promise<void> {
  const selector = readSelector(context.query.get('labelSelector') ?? '');
  if ('error' in selector) return respondError(context, 400, selector.error);
  const kind = kindOf(catalogue, path.resource);
  if (kind === undefined) return respondError(context, 500, `no matches for ${gvrText(path.resource)}`);
  const type = JSON.stringify({ kind: `${kind}List`, apiVersion: apiVersionOf(path.resource), metadata: {} });
  function* items(): Generator<readonly Buffer[] | undefined> {
    for (const collection of caches.collections(path.resource))
      for (const object of found(collection, path, selector as Selector)) yield object && [object.json];
  }
  const headers = { ...context.answerHeaders(), 'content-type': 'application/json; charset=utf-8' };
  await writeList(context, headers, [`${type.slice(0, -1)},"items":[`, ']}\n'], items());
}

/** Serves a request below `/apis/search.karmada.io/v1alpha1/search`. */
export async function serveSearch(context: RequestContext, deps: SearchCacheDeps): Promise<void> {
  const { parts } = context.info;
  if (context.exchange.method !== 'GET') throw methodNotAllowed();
  const query = context.query.get('q');
  if (query !== undefined && parts.length === 2 && parts[1] === 'cache') return answerQuery(context, query, deps);
  if (parts.length < 3) throw plainError(`invalid requestInfo parts: [${parts.join(' ')}]`);
  const [, category, ...rest] = parts;
  const path = parseNativePath(rest);
  if (category === 'cache') return answerCache(context, path, deps);
  if (category !== 'opensearch') throw plainError(`connect with unrecognized search category ${category}`);
  // Upstream reserves this category, and answers with an empty body.
  context.exchange.respond(200, context.answerHeaders(), undefined);
}
