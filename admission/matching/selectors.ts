/** Which objects, and objects of which namespaces, webhooks and policies are about. */
// as apiserver/pkg/admission/plugin/webhook/predicates/namespace, predicates/object
import type { KubeObject } from '../../apimachinery/interface.js';
import { errorText } from '../../apimachinery/errors/error-text.js';
import type { Labels } from '../../apimachinery/selectors/label-requirement.js';
import { type Selector, selectorOf } from '../../apimachinery/selectors/label-selectors.js';
import type { Maybe } from '../../lib/maybe.js';
import { internal, isNotFound } from '../../apimachinery/errors/status.js';
import type { Client } from '../../client/interface.js';
import type { AdmissionRequest } from '../../registry/admission-plugin.js';
import { get } from '../lookup.js';
import { namespaces } from '../../api/kubernetes/resources.js';

const isNamespaces = ({ definition }: AdmissionRequest): boolean =>
  definition.plural === 'namespaces' && definition.group === '';

/** Of the namespace that the request is in. Throws 404. */
export function namespaceOf(client: Client, request: AdmissionRequest): Maybe<KubeObject> | undefined {
  if (request.namespace === '' || isNamespaces(request)) return undefined;
  return get(client, namespaces, { name: request.namespace });
}

/** Of the namespace that the request is in, or is about: then as it shall be. */
async function namespaceLabels(client: Client, request: AdmissionRequest): Promise<Labels | undefined> {
  const { operation, subresource, object, namespace } = request;
  const isWritten = isNamespaces(request) && subresource === '' && operation !== 'DELETE';
  if (isWritten) return object?.metadata.labels;
  return (await get(client, namespaces, { name: namespace })).metadata.labels;
}

export interface Selectors {
  readonly namespace: Selector;
  readonly object: Selector;
}

export const selectorsOf = (from: {
  readonly namespaceSelector?: unknown;
  readonly objectSelector?: unknown;
}): Selectors => ({
  namespace: selectorOf(from.namespaceSelector ?? {}),
  object: selectorOf(from.objectSelector ?? {}),
});

/** What has no metadata (options of connections) is not selected. */
function isLabelled(object: Partial<KubeObject> | undefined, wanted: Selector): boolean {
  return object?.metadata !== undefined && wanted.matches(object.metadata.labels);
}

/** `object`: as it stands now. Throws 404 for a namespace that is missing. */
export async function isSelected(
  { namespace, object: wanted }: Selectors,
  request: AdmissionRequest,
  object: KubeObject | undefined,
  client: Client,
): Promise<boolean> {
  if (!wanted.empty && ![object, request.old].some(each => isLabelled(each, wanted))) return false;
  if (namespace.empty || (request.namespace === '' && request.definition.plural !== 'namespaces')) return true;
  try {
    return namespace.matches(await namespaceLabels(client, request));
  } catch (error) {
    if (isNotFound(error)) throw error;
    throw internal(errorText(error));
  }
}
