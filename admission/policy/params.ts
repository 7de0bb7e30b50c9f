/** The parameters of a policy binding. */
// as apiserver/pkg/admission/plugin/policy/generic CollectParams
import type { GroupVersionResource, KubeObject } from '../../apimachinery/interface.js';
import { gvkText, readApiVersion } from '../../apimachinery/meta/gvk.js';
import { type LabelSelector, selectorOf } from '../../apimachinery/selectors/label-selectors.js';
import type { Client } from '../../client/interface.js';
import type { Catalogue } from '../../registry/interface.js';
import type { ParamKind, ParamRef } from '../../api/kubernetes/admissionregistration.js';
import { findRecent, listRecent } from '../../client/recent.js';

/** The resource of the parameters. */
interface ParamResource {
  readonly resource: GroupVersionResource;
  readonly namespaced: boolean;
}

/** Returns the resource of a policy's paramKind; undefined without one. Throws Error for a kind that is not served. */
export function paramResource(kind: ParamKind | undefined, catalogue: Catalogue): ParamResource | undefined {
  if (!kind) return undefined;
  const { group = '', version = '' } = readApiVersion(kind.apiVersion ?? '') ?? {};
  const gvk = { group, version, kind: kind.kind ?? '' };
  const definition = catalogue.forKind(gvk);
  if (!definition) throw new Error(`failed to find resource referenced by paramKind: '${gvkText(gvk)}'`);
  return { resource: { group, version, resource: definition.plural }, namespaced: definition.namespaced };
}

/** Returns the parameters; the policy is run once for each. One undefined stands for no parameter. Throws Error for an invalid paramRef. */
export async function collectParams(
  found: ParamResource | undefined,
  ref: ParamRef | undefined,
  namespace: string,
  client: Client,
): Promise<readonly (KubeObject | undefined)[]> {
  if (!found || !ref) return [undefined];
  const { resource, namespaced } = found;
  if (!namespaced && ref.namespace)
    throw new Error('paramRef.namespace must not be provided for a cluster-scoped `paramKind`');
  const from = namespaced ? ref.namespace || namespace : undefined;
  if (from === '')
    throw new Error('cannot use namespaced paramRef in policy binding that matches cluster-scoped resources');
  const params = await select(resource, ref, from, client);
  if (params.length === 0 && ref.parameterNotFoundAction === 'Deny')
    throw new Error('no params found for policy binding with `Deny` parameterNotFoundAction');
  return params;
}

async function select(
  resource: GroupVersionResource,
  { name, selector }: ParamRef,
  namespace: string | undefined,
  client: Client,
): Promise<readonly KubeObject[]> {
  if (name) {
    const param = await findRecent(client, resource, { name, ...(namespace !== undefined && { namespace }) });
    return param ? [param] : [];
  }
  const labelSelector = selectorOf(selector as LabelSelector | undefined);
  return labelSelector.nothing ? [] : listRecent(client, resource, namespace, labelSelector.toString());
}
