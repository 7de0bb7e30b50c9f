/** Serves `search/cache/...`: all that is mirrored, in one list. as pkg/registry/search/storage SearchREST.newCacheHandler */
import { apiVersionOf, gvrText, objectKey } from '../../apimachinery/meta/gvk.js';
import { readSelector, type Selector } from '../../apimachinery/selectors/label-selectors.js';
import { methodNotAllowed, plainError } from '../../apimachinery/errors/status.js';
import type { Catalogue } from '../../registry/interface.js';
import type { RequestContext } from '../../apiserver/interface.js';
import type { Cached } from './cached.js';
import type { Caches, Collection } from './caches.js';
import { writeList } from '../proxy/list-writer.js';
import { type NativePath, parseNativePath } from './native-path.js';
import { isWithin } from './selection.js';
import { kindOf } from './wanted.js';

export interface SearchCacheDeps {
  readonly caches: Caches;
  readonly catalogue: Catalogue;
}

/** Faults are told in a form of its own, not as a Status. */
function refuse(passage: RequestContext, code: number, error: string): void {
  const headers = { ...passage.answerHeaders(), 'content-type': 'application/json' };
  passage.exchange.respond(code, headers, Buffer.from(`${JSON.stringify({ error })}\n`));
}

/** Yields what registries let be seen of a mirror, which holds all namespaces. */
// differs: Karmada shows the objects of all namespaces, whatever the namespace of the registry's selector
function* found(collection: Collection, { namespace, name }: NativePath, selector: Selector): Generator<Cached> {
  const { informer } = collection;
  if (name !== '') {
    const object = isWithin(collection, namespace) ? informer.get(objectKey(namespace, name)) : undefined;
    if (object) yield object;
    return;
  }
  for (const object of informer.list(namespace))
    if (isWithin(collection, object.metadata.namespace) && selector.matches(object.metadata.labels ?? {})) yield object;
}

async function answerCache(
  passage: RequestContext,
  path: NativePath,
  { caches, catalogue }: SearchCacheDeps,
): Promise<void> {
  const selector = readSelector(passage.query.get('labelSelector') ?? '');
  if ('error' in selector) return refuse(passage, 400, selector.error);
  const kind = kindOf(catalogue, path.resource);
  if (kind === undefined) return refuse(passage, 500, `no matches for ${gvrText(path.resource)}`);
  const type = JSON.stringify({ kind: `${kind}List`, apiVersion: apiVersionOf(path.resource), metadata: {} });
  function* items(): Generator<readonly Buffer[]> {
    for (const collection of caches.collections(path.resource))
      for (const { json } of found(collection, path, selector as Selector)) yield [json];
  }
  const headers = { ...passage.answerHeaders(), 'content-type': 'application/json; charset=utf-8' };
  await writeList(passage, headers, [`${type.slice(0, -1)},"items":[`, ']}\n'], items());
}

/** Serves a request below `/apis/search.karmada.io/v1alpha1/search`. */
export async function serveSearch(passage: RequestContext, deps: SearchCacheDeps): Promise<void> {
  const { parts } = passage.info;
  if (passage.exchange.method !== 'GET') throw methodNotAllowed();
  if (parts.length < 3) throw plainError(`invalid requestInfo parts: [${parts.join(' ')}]`);
  const [, category, ...rest] = parts;
  const path = parseNativePath(rest);
  if (category === 'cache') return answerCache(passage, path, deps);
  if (category !== 'opensearch') throw plainError(`connect with unrecognized search category ${category}`);
  // A place that upstream keeps free.
  passage.exchange.respond(200, passage.answerHeaders(), undefined);
}
