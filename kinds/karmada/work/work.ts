/** Fills in Works: their ids, and the annotations and labels of their manifests. */
import { cloneJson } from '../../../lib/json/clone.js';
import { recordManagedKeys } from './managed-keys.js';
import { pruneManifest } from './prune-manifest.js';
import type { Mutate } from '../rules.js';
import type { Work } from '../../../api/karmada/types.js';
import { labels } from '../../../api/karmada/well-known.js';

/** Removes from manifests what must not be sent to a member, and records which keys Karmada manages and to which Work they belong. */
export const completeWork: Mutate<Work> = ({ metadata, spec }, _old, { newId }) => {
  const id = ((metadata.labels ??= {})[labels.workId] ||= newId());
  if (!spec.workload?.manifests) return;
  spec.workload.manifests = spec.workload.manifests.map(manifest => {
    const copy = cloneJson(manifest);
    copy.metadata ??= {};
    pruneManifest(copy);
    recordManagedKeys(copy, id);
    return copy;
  });
};
