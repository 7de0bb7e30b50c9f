/** The namespaceSelector and objectSelector of webhooks and policies. */
// as apiserver/pkg/admission/plugin/webhook/predicates/namespace, predicates/object
import type { KubeObject } from '../../apimachinery/interface.js';
import { errorText } from '../../apimachinery/errors/error-text.js';
import type { Labels } from '../../apimachinery/selectors/label-requirement.js';
import { type Selector, selectorOf } from '../../apimachinery/selectors/label-selectors.js';
import type { Maybe } from '../../lib/maybe.js';
import { internal, isNotFound } from '../../apimachinery/errors/status.js';
import type { Client } from '../../client/interface.js';
import type { AdmissionRequest } from '../../registry/admission-plugin.js';
import { getRecent } from '../../client/recent.js';
import { namespaces } from '../../api/kubernetes/resources.js';

const isNamespaces = ({ definition }: AdmissionRequest): boolean =>
  definition.plural === 'namespaces' && definition.group === '';

/** Returns the Namespace of a request; undefined if it has none. Throws 404. */
export function namespaceOfRequest(client: Client, request: AdmissionRequest): Maybe<KubeObject> | undefined {
  if (request.namespace === '' || isNamespaces(request)) return undefined;
  return getRecent(client, namespaces, { name: request.namespace });
}

/** Returns the labels of the request's Namespace; for a write of a Namespace, those of the written object. */
async function namespaceLabels(client: Client, request: AdmissionRequest): Promise<Labels | undefined> {
  const { operation, subresource, object, namespace } = request;
  const isWritten = isNamespaces(request) && subresource === '' && operation !== 'DELETE';
  if (isWritten) return object?.metadata.labels;
  return (await getRecent(client, namespaces, { name: namespace })).metadata.labels;
}

export interface Selectors {
  readonly namespace: Selector;
  readonly object: Selector;
}

/** Returns the parsed selectors of a webhook or a policy; absent ones match everything. */
export const selectorsOf = (from: {
  readonly namespaceSelector?: unknown;
  readonly objectSelector?: unknown;
}): Selectors => ({
  namespace: selectorOf(from.namespaceSelector ?? {}),
  object: selectorOf(from.objectSelector ?? {}),
});

/** Reports whether the labels match; false for an object without metadata (options of a connect request). */
function isLabelled(object: Partial<KubeObject> | undefined, selector: Selector): boolean {
  return object?.metadata !== undefined && selector.matches(object.metadata.labels);
}

/** Reports whether the selectors match a request. `object` is its current state. Throws 404 if the namespace does not exist. */
export async function selectsRequest(
  { namespace, object: objectSelector }: Selectors,
  request: AdmissionRequest,
  object: KubeObject | undefined,
  client: Client,
): Promise<boolean> {
  if (!objectSelector.empty && ![object, request.old].some(each => isLabelled(each, objectSelector))) return false;
  if (namespace.empty || (request.namespace === '' && request.definition.plural !== 'namespaces')) return true;
  try {
    return namespace.matches(await namespaceLabels(client, request));
  } catch (error) {
    if (isNotFound(error)) throw error;
    throw internal(errorText(error));
  }
}
