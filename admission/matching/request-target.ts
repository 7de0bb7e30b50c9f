/** The target of a request for the matching of rules, and its equivalents in other versions and groups. */
import type { GroupVersionKind, GroupVersionResource } from '../../apimachinery/interface.js';
import type { Catalogue, ResourceDefinition, Subresource } from '../../registry/interface.js';
import { subresourceOf } from '../../registry/subresources.js';
import type { AdmissionRequest } from '../../registry/admission-plugin.js';

export interface RequestTarget {
  readonly definition: ResourceDefinition;
  readonly version: string;
  readonly subresource: string;
  readonly operation: AdmissionRequest['operation'];
}

/** Returns the resource of a target, without its subresource. */
export const resourceOfTarget = ({
  definition,
  version,
}: Pick<RequestTarget, 'definition' | 'version'>): GroupVersionResource => ({
  group: definition.group,
  version,
  resource: definition.plural,
});

/** Returns the subresource of the target; undefined if its version does not have it. */
export function partOf({
  definition,
  version: name,
  subresource,
}: Omit<RequestTarget, 'operation'>): Subresource | undefined {
  const version = definition.versions.find(each => each.name === name);
  return version && subresourceOf({ definition, version, subresource });
}

/** Returns the kind of the request's objects. */
export function kindOfTarget(target: Omit<RequestTarget, 'operation'>): GroupVersionKind {
  const { definition, version } = target;
  const part = partOf(target);
  if (part?.type === 'scale') return { group: 'autoscaling', version: 'v1', kind: 'Scale' };
  if (part?.type === 'action' || part?.type === 'connect') return part.kind;
  return { group: definition.group, version, kind: definition.kind };
}

/** Returns the targets of the same objects in other versions or groups: resources with the same storage prefix and subresource. */
// as apimachinery/pkg/runtime EquivalentResourceRegistry
export function equivalentsOf(catalogue: Catalogue, target: RequestTarget): readonly RequestTarget[] {
  const { definition, subresource } = target;
  const found: RequestTarget[] = [];
  for (const other of catalogue.all()) {
    if (other.storagePrefix !== definition.storagePrefix) continue;
    for (const { name } of other.versions) {
      const equivalent = { ...target, definition: other, version: name };
      const hasSubresource = subresource === '' || partOf(equivalent) !== undefined;
      if (hasSubresource && (other !== definition || name !== target.version)) found.push(equivalent);
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
