/** Fills in Works: their ids, and the marks of their manifests. */
import { cloneJson } from '../../lib/json/clone.js';
import { recordManagedKeys } from './managed-keys.js';
import { pruneManifest } from './prune-manifest.js';
import type { Mutate } from './rules.js';
import type { Work } from '../../api/karmada/types.js';
import { labels } from '../../api/karmada/well-known.js';

/** Manifests lose what must not travel to a member, and learn which keys are ours and whose they are. */
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
