import { isNotFound } from '../../apimachinery/errors/status.js';
import type { DeleteOptions, ListQuery } from '../../client/interface.js';
import { eachConcurrently } from '../../lib/each-concurrently.js';
import { yieldToEventLoop } from '../../lib/time-slice.js';
import type { PipelineDeps } from './context.js';
import { remove } from './delete.js';
import type { RequestScope, ListAnswer, Stored, WriteParameters } from './interface.js';
import { loadedObject } from './stored/loaded.js';
import { list } from './reads/list.js';

const pageSize = 10_000;
/** Number of concurrent deletions, which the store commits as a group. */
const concurrency = 16;

/** Lists a collection and deletes each of its objects. Returns the list. */
// as apiserver/pkg/registry/generic/registry Store.DeleteCollection
export async function removeCollection(
  deps: PipelineDeps,
  call: RequestScope,
  query: ListQuery,
  options: DeleteOptions,
  write: WriteParameters,
): Promise<ListAnswer> {
  const first = await list(deps, call, { ...query, limit: query.limit || pageSize });
  await removeAll(deps, call, first.items, options, write);
  if (query.limit || !first.metadata.continue) return first;
  const items = [...first.items];
  for (let token: string | undefined = first.metadata.continue; token;) {
    const { labelSelector, fieldSelector } = query;
    const page: ListAnswer = await list(deps, call, {
      ...(labelSelector !== undefined && { labelSelector }),
      ...(fieldSelector !== undefined && { fieldSelector }),
      limit: pageSize,
      continue: token,
    });
    await removeAll(deps, call, page.items, options, write);
    for (const item of page.items) items.push(item);
    token = page.metadata.continue;
  }
  const { resourceVersion = '' } = first.metadata;
  const metadata = call.definition.wire.keys === 'sorted' ? { continue: '', resourceVersion } : { resourceVersion };
  return { metadata, items };
}

async function removeAll(
  deps: PipelineDeps,
  call: RequestScope,
  items: readonly Stored[],
  options: DeleteOptions,
  write: WriteParameters,
): Promise<void> {
  await eachConcurrently(items, concurrency, async stored => {
    const { name = '', namespace = '' } = (await loadedObject(stored)).metadata;
    try {
      await remove(deps, within(call, namespace), name, options, write);
    } catch (error) {
      // The object was deleted meanwhile.
      if (!isNotFound(error)) throw error;
    }
    // With the storage in this process, objects that are being deleted already are left as they are without a wait.
    const pause = yieldToEventLoop();
    if (pause) await pause;
  });
}

/** Returns the request with another namespace. Copied field by field, since a RequestScope may have accessors and methods. */
const within = (call: RequestScope, namespace: string): RequestScope => ({
  user: call.user,
  definition: call.definition,
  version: call.version,
  subresource: call.subresource,
  namespace,
  signal: call.signal,
  fieldManager: call.fieldManager,
  authorize: verb => call.authorize(verb),
  warn: text => call.warn(text),
  annotate: (key, value) => call.annotate(key, value),
});
