/** Where a request goes, as far as rules look at it, and the same place under other names. */
import type { GroupVersionKind, GroupVersionResource } from '../../apimachinery/interface.js';
import type { Catalogue, ResourceDefinition, Subresource } from '../../registry/interface.js';
import { subresourceOf } from '../../registry/subresources.js';
import type { AdmissionRequest } from '../../registry/admission-plugin.js';

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

/** The subresource of the place, if it is one of its version. */
export function partOf({ definition, version: name, subresource }: Omit<Place, 'operation'>): Subresource | undefined {
  const version = definition.versions.find(each => each.name === name);
  return version && subresourceOf({ definition, version, subresource });
}

/** The type of the objects that are sent there. */
export function kindOf(place: Omit<Place, 'operation'>): GroupVersionKind {
  const { definition, version } = place;
  const part = partOf(place);
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
    for (const { name } of other.versions) {
      const there = { ...place, definition: other, version: name };
      const isThere = subresource === '' || partOf(there) !== undefined;
      if (isThere && (other !== definition || name !== place.version)) found.push(there);
    }
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

/** Returns whether a kind is exempt from admission by configuration: a mistake in that configuration could not be undone otherwise. */
export const isExempt = ({ group, kind }: ResourceDefinition): boolean =>
  group === 'admissionregistration.k8s.io' && configurations.has(kind);
