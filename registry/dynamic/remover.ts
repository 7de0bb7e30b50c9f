import type { Identity } from '../../apimachinery/identity.js';
import type { ResourceDefinition } from '../interface.js';
import type { RequestScope, Pipeline } from '../pipeline/interface.js';
import type { Remover } from './finalize.js';

/**
 * Over the pipeline itself: a definition none of whose versions is served has no place that a client could ask for. Hence no `follow`
 * either, which asks a client and would hold all objects to tell that there are none.
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
        // Every deletion may have been the last one. A watch that ends was one that the server ended: it is looked again.
        for await (const { type } of pipeline.watch(call, { resourceVersion: metadata.resourceVersion ?? '' }))
          if (type === 'DELETED') break;
      }
    },
  };
}
