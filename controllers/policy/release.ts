import { namespacedName } from '../../apimachinery/meta/gvk.js';
import type { KubeObject } from '../../apimachinery/interface.js';
import { ignoreNotFound } from '../../client/find.js';
import { bindingName } from '../../api/karmada/names.js';
import { resources } from '../../api/karmada/well-known.js';
import { updateObject } from '../../client/runtime/update.js';
import { type Claim, dropClaim } from './claim.js';
import type { DetectorDeps } from './interface.js';

/**
 * Removes a claim from a template and its binding, from the binding first, which would not be found any more after that of the template.
 * The binding and the propagated objects stay; another policy may claim the template.
 */
export async function releaseTemplate(template: KubeObject, claim: Claim, deps: DetectorDeps): Promise<void> {
  const { client } = deps.context;
  const { namespace, name = '' } = template.metadata;
  const nameOfBinding = bindingName(template.kind, name);
  const binding = namespace
    ? deps.bindings.get(namespacedName(namespace, nameOfBinding))
    : deps.clusterBindings.get(nameOfBinding);
  const resource = namespace ? resources.resourceBindings : resources.clusterResourceBindings;
  // Objects that were deleted meanwhile need no release.
  if (binding) await ignoreNotFound(updateObject(client, resource, binding, draft => dropClaim(draft, claim)));
  const source = deps.templates.source(template.apiVersion, template.kind);
  if (source) await ignoreNotFound(updateObject(client, source.resource, template, draft => dropClaim(draft, claim)));
}
