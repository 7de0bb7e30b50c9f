import { isNotFound } from '../../apimachinery/errors/status.js';
import type { DeleteOptions, ListQuery } from '../../client/interface.js';
import type { Parts } from './context.js';
import { remove } from './delete.js';
import type { RequestScope, ListAnswer, Stored, WriteParameters } from './interface.js';
import { list } from './reads/list.js';

const pageSize = 10_000;
/** Deletions under way at a time: a group commit of the store takes them together. */
const atOnce = 16;

/** Deletes a collection: the list as it was, of which each object is deleted by itself. */
// as apiserver/pkg/registry/generic/registry Store.DeleteCollection
export async function removeCollection(
  parts: Parts,
  call: RequestScope,
  query: ListQuery,
  options: DeleteOptions,
  write: WriteParameters,
): Promise<ListAnswer> {
  const first = await list(parts, call, { ...query, limit: query.limit || pageSize });
  await removeAll(parts, call, first.items, options, write);
  if (query.limit || !first.metadata.continue) return first;
  const items = [...first.items];
  for (let token: string | undefined = first.metadata.continue; token;) {
    const { labelSelector, fieldSelector } = query;
    const page: ListAnswer = await list(parts, call, {
      ...(labelSelector !== undefined && { labelSelector }),
      ...(fieldSelector !== undefined && { fieldSelector }),
      limit: pageSize,
      continue: token,
    });
    await removeAll(parts, call, page.items, options, write);
    for (const item of page.items) items.push(item);
    token = page.metadata.continue;
  }
  const { resourceVersion = '' } = first.metadata;
  const metadata = call.definition.wire.keys === 'sorted' ? { continue: '', resourceVersion } : { resourceVersion };
  return { metadata, items };
}

async function removeAll(
  parts: Parts,
  call: RequestScope,
  items: readonly Stored[],
  options: DeleteOptions,
  write: WriteParameters,
): Promise<void> {
  const queue = items.values();
  const worker = async (): Promise<void> => {
    for (const { object } of queue) {
      const { name = '', namespace = '' } = object.metadata;
      try {
        await remove(parts, within(call, namespace), name, options, write);
      } catch (error) {
        // Somebody else was quicker.
        if (!isNotFound(error)) throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, worker));
}

/** The call, for an object of this namespace. Field by field: calls are no plain records. */
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
