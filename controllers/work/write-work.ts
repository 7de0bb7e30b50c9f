import { cloneJson } from '../../lib/json/clone.js';
import type { Client } from '../../client/interface.js';
import { recordManagedKeys } from '../../kinds/karmada/work/managed-keys.js';
import type { Work } from '../../api/karmada/types.js';
import { finalizers, labels, resources } from '../../api/karmada/well-known.js';
import { NotYet } from '../../client/runtime/controller.js';
import { keyOf } from '../../client/key.js';
import type { Informer } from '../../client/runtime/interface.js';
import { createOrUpdate } from '../../client/runtime/update.js';

/** Creates or updates a Work. Returns what was done. Throws NotYet if it is being deleted, so that the caller retries. */
export async function writeWork(
  desired: Work,
  client: Client,
  works: Informer<Work>,
): Promise<'created' | 'updated' | 'unchanged'> {
  const { namespace, name } = desired.metadata;
  return createOrUpdate(client, resources.works, works.get(keyOf(desired)), desired, draft => {
    if (draft.metadata.deletionTimestamp) throw new NotYet(`work ${namespace}/${name} is being deleted`);
    Object.assign((draft.metadata.labels ??= {}), desired.metadata.labels);
    Object.assign((draft.metadata.annotations ??= {}), desired.metadata.annotations);
    draft.metadata.finalizers = [...new Set([...(draft.metadata.finalizers ?? []), finalizers.execution])];
    draft.spec = cloneJson(desired.spec);
    // Admission records the managed keys, too: without them an unchanged Work would look changed.
    for (const manifest of draft.spec.workload?.manifests ?? [])
      recordManagedKeys(manifest, draft.metadata.labels?.[labels.workId]);
  });
}
