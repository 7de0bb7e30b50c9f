import type { KubeObject, StatusCause } from '../apimachinery/interface.js';
import { type GroupResource, type StatusError, forbidden } from '../apimachinery/errors/status.js';
import type { AdmissionRequest } from '../registry/admission-plugin.js';

export const resourceOf = ({ definition }: AdmissionRequest): GroupResource => ({
  group: definition.group,
  resource: definition.plural,
});

/** The name in a refusal: that of the object, or what it is to be generated from. */
// as apiserver/pkg/admission extractResourceName
export function nameOf({ name, object }: AdmissionRequest): string {
  // Options of connections have none.
  const { metadata } = (object ?? {}) as Partial<KubeObject>;
  return name || metadata?.name || metadata?.generateName || 'Unknown';
}

/** Returns 403 `pods "p" is forbidden: text`. as apiserver/pkg/admission NewForbidden */
export function deny(request: AdmissionRequest, text: string, causes: StatusCause[] = []): StatusError {
  return forbidden(resourceOf(request), nameOf(request), text, causes);
}
