import type { KubeObject } from '../../apimachinery/interface.js';
import { found } from '../../client/found.js';
import { bindingName } from '../../api/karmada/names.js';
import { resources } from '../../api/karmada/well-known.js';
import { updateObject } from '../../client/runtime/update.js';
import { type Claim, dropClaim } from './claim.js';
import type { DetectorDeps } from './interface.js';

/**
 * Takes a policy's marks off a template and its binding, the binding first: it would not be found again once the template is free.
 * The binding and what it placed stay; another policy may claim the template.
 */
export async function releaseTemplate(template: KubeObject, claim: Claim, deps: DetectorDeps): Promise<void> {
  const { client } = deps.context;
  const { namespace, name = '' } = template.metadata;
  const own = bindingName(template.kind, name);
  const binding = namespace ? deps.bindings.get(`${namespace}/${own}`) : deps.clusterBindings.get(own);
  const resource = namespace ? resources.resourceBindings : resources.clusterResourceBindings;
  // What went meanwhile needs no release.
  if (binding) await found(updateObject(client, resource, binding, draft => dropClaim(draft, claim)));
  const source = deps.templates.source(template.apiVersion, template.kind);
  if (source) await found(updateObject(client, source.resource, template, draft => dropClaim(draft, claim)));
}
