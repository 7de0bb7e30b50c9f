/** Where a request goes, as far as rules look at it, and the same place under other names. */
import type { GroupVersionKind, GroupVersionResource } from '../../../openapi/interface.js';
import type { Catalogue, ResourceDefinition } from '../../interface.js';
import type { AdmissionRequest } from '../interface.js';

export interface Place {
  readonly definition: ResourceDefinition;
  readonly version: string;
  readonly subresource: string;
  readonly operation: AdmissionRequest['operation'];
}

export const resourceOf = ({ definition, version }: Pick<Place, 'definition' | 'version'>): GroupVersionResource => ({
  group: definition.group,
  version,
  resource: definition.plural,
});

/** The type of the objects that are sent there. */
export function kindOf({ definition, version, subresource }: Omit<Place, 'operation'>): GroupVersionKind {
  const part = subresource === '' ? undefined : definition.subresources[subresource];
  if (part?.type === 'scale') return { group: 'autoscaling', version: 'v1', kind: 'Scale' };
  if (part?.type === 'action' || part?.type === 'connect') return part.kind;
  return { group: definition.group, version, kind: definition.kind };
}

/** The same objects in other versions or groups: whatever is stored at the same place and has the subresource. */
// as apimachinery/pkg/runtime EquivalentResourceRegistry
export function equivalentsOf(catalogue: Catalogue, place: Place): readonly Place[] {
  const { definition, subresource } = place;
  const found: Place[] = [];
  for (const other of catalogue.all()) {
    if (other.storagePrefix !== definition.storagePrefix) continue;
    if (subresource !== '' && other.subresources[subresource] === undefined) continue;
    for (const { name } of other.versions)
      if (other !== definition || name !== place.version) found.push({ ...place, definition: other, version: name });
  }
  return found;
}

const configurations: ReadonlySet<string> = new Set([
  'MutatingWebhookConfiguration',
  'ValidatingWebhookConfiguration',
  'MutatingAdmissionPolicy',
  'MutatingAdmissionPolicyBinding',
  'ValidatingAdmissionPolicy',
  'ValidatingAdmissionPolicyBinding',
]);

/** Who configures admission is not admitted by what he configures: nobody could undo it (SEC-067). */
export const isExempt = ({ group, kind }: ResourceDefinition): boolean =>
  group === 'admissionregistration.k8s.io' && configurations.has(kind);
