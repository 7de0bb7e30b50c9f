/** Serves `search/cache/...`: the mirrored objects in one list. as pkg/registry/search/storage SearchREST.newCacheHandler */
import { apiVersionOf, gvrText, namespacedName } from '../../apimachinery/meta/gvk.js';
import { readSelector, type Selector } from '../../apimachinery/selectors/label-selectors.js';
import { methodNotAllowed, plainError } from '../../apimachinery/errors/status.js';
import type { Catalogue } from '../../registry/interface.js';
import type { RequestContext } from '../../apiserver/interface.js';
import type { Cached } from './cached.js';
import type { Caches, Collection } from './caches.js';
import { writeList } from '../proxy/list-writer.js';
import { type NativePath, parseNativePath } from './native-path.js';
import { isWithin } from './selection.js';
import { kindOf } from './selected-resources.js';

interface SearchCacheDeps {
  readonly caches: Caches;
  readonly catalogue: Catalogue;
}

/** Responds with an error in the form of upstream's handler, which is not a Status. */
function respondError(context: RequestContext, code: number, error: string): void {
  const headers = { ...context.answerHeaders(), 'content-type': 'application/json' };
  context.exchange.respond(code, headers, Buffer.from(`${JSON.stringify({ error })}\n`));
}

/** Yields the objects of a mirror in the namespaces that registries select; the mirror holds all namespaces. */
// differs: Karmada shows the objects of all namespaces, whatever the namespace of the registry's selector
function* found(collection: Collection, { namespace, name }: NativePath, selector: Selector): Generator<Cached> {
  const { informer } = collection;
  if (name !== '') {
    const object = isWithin(collection, namespace) ? informer.get(namespacedName(namespace, name)) : undefined;
    if (object) yield object;
    return;
  }
  for (const object of informer.list(namespace))
    if (isWithin(collection, object.metadata.namespace) && selector.matches(object.metadata.labels ?? {})) yield object;
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
  function* items(): Generator<readonly Buffer[]> {
    for (const collection of caches.collections(path.resource))
      for (const { json } of found(collection, path, selector as Selector)) yield [json];
  }
  const headers = { ...context.answerHeaders(), 'content-type': 'application/json; charset=utf-8' };
  await writeList(context, headers, [`${type.slice(0, -1)},"items":[`, ']}\n'], items());
}

/** Serves a request below `/apis/search.karmada.io/v1alpha1/search`. */
export async function serveSearch(context: RequestContext, deps: SearchCacheDeps): Promise<void> {
  const { parts } = context.info;
  if (context.exchange.method !== 'GET') throw methodNotAllowed();
  if (parts.length < 3) throw plainError(`invalid requestInfo parts: [${parts.join(' ')}]`);
  const [, category, ...rest] = parts;
  const path = parseNativePath(rest);
  if (category === 'cache') return answerCache(context, path, deps);
  if (category !== 'opensearch') throw plainError(`connect with unrecognized search category ${category}`);
  // Upstream reserves this category, and answers with an empty body.
  context.exchange.respond(200, context.answerHeaders(), undefined);
}
