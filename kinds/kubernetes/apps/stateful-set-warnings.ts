// as pkg/registry/apps/statefulset WarningsOnCreate, WarningsOnUpdate
import { claimSpecWarnings } from '../core/volumes/claim-warnings.js';
import { changedTemplateWarnings } from '../core/pod-spec/workload-warnings.js';
import { warnings } from '../../shared/rules/warnings.js';
import type { StatefulSet } from '../../../api/kubernetes/apps.js';

export const statefulSetWarnings = warnings<StatefulSet>((set, warn, old) => {
  const spec = set.at('spec');
  changedTemplateWarnings(set, spec.at('template'), warn, old);
  // The paths are upstream's: they leave out `spec`, and write it as `Spec` on updates.
  for (const claim of spec.at('volumeClaimTemplates').items())
    claimSpecWarnings(claim.at('spec').as(old ? `${claim.path}.Spec` : claim.path), warn);
  if ((spec.value?.revisionHistoryLimit ?? 0) < 0)
    warn('spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended');
});
