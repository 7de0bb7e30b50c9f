import type { Identity } from '../../apimachinery/identity.js';
import type { ResourceDefinition } from '../interface.js';
import type { RequestScope, Pipeline } from '../pipeline/interface.js';
import type { Remover } from './finalize.js';

/**
 * Returns a remover that uses the pipeline, since clients cannot reach a definition without a served version. It does not use `follow`, which
 * needs a client, and would keep all objects in memory.
 */
export function removerOf(pipeline: Pipeline, user: Identity): Remover {
  const callOf = (definition: ResourceDefinition, signal: AbortSignal): RequestScope => {
    const version = definition.versions.find(v => v.name === definition.storageVersion);
    if (!version)
      throw new Error(`${definition.plural}.${definition.group} has no version ${definition.storageVersion}`);
    return {
      user,
      definition,
      version,
      subresource: '',
      namespace: '',
      signal,
      fieldManager: user.name,
      authorize: () => Promise.resolve(),
      warn: () => undefined,
      annotate: () => undefined,
    };
  };
  return {
    async removeAll(definition) {
      const options = { kind: 'DeleteOptions', apiVersion: 'meta.k8s.io/v1' };
      await pipeline.deleteCollection(
        callOf(definition, new AbortController().signal),
        {},
        {},
        { dryRun: false, options },
      );
    },
    async untilEmpty(definition, signal) {
      const call = callOf(definition, signal);
      while (!signal.aborted) {
        const { items, metadata } = await pipeline.list(call, { limit: 1 });
        if (items.length === 0) return;
        // Any deletion may have been the last one, so the list is repeated; also when the watch ends.
        for await (const { type } of pipeline.watch(call, { resourceVersion: metadata.resourceVersion ?? '' }))
          if (type === 'DELETED') break;
      }
    },
  };
}
