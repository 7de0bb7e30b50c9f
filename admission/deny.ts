import type { KubeObject, StatusCause } from '../apimachinery/interface.js';
import { type StatusError, forbidden } from '../apimachinery/errors/status.js';
import type { AdmissionRequest } from '../registry/admission-plugin.js';
import { groupResourceOf } from '../registry/group-resource.js';

/** Returns the name for a refusal: that of the object, or its generateName. */
// as apiserver/pkg/admission extractResourceName
export function nameOf({ name, object }: AdmissionRequest): string {
  // The options of a connect request have no metadata.
  const { metadata } = (object ?? {}) as Partial<KubeObject>;
  return name || metadata?.name || metadata?.generateName || 'Unknown';
}

/** Returns 403 `pods "p" is forbidden: text`. as apiserver/pkg/admission NewForbidden */
export function deny(request: AdmissionRequest, text: string, causes: StatusCause[] = []): StatusError {
  return forbidden(groupResourceOf(request), nameOf(request), text, causes);
}
