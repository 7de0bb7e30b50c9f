/** The AdmissionRequest that webhooks and expressions get. */
// as apiserver/pkg/admission/plugin/webhook/request CreateV1AdmissionReview, plugin/cel CreateAdmissionRequest
import type { Identity } from '../../apimachinery/identity.js';
import type { AdmissionRequest } from '../../registry/admission-plugin.js';
import { type RequestTarget, kindOfTarget, resourceOfTarget } from './request-target.js';

interface ReviewRequest {
  readonly [field: string]: unknown;
}

function userInfo({ name, uid, groups, extra = {} }: Identity): object {
  return {
    ...(name !== '' && { username: name }),
    ...(uid && { uid }),
    ...(groups.length > 0 && { groups }),
    ...(Object.keys(extra).length > 0 && { extra }),
  };
}

/** Returns the review of a request without its objects and without empty fields. `target` is the matched resource and version. */
export function reviewRequest(request: AdmissionRequest, target: RequestTarget): ReviewRequest {
  const { definition, version, subresource, name, namespace, operation, user, dryRun, options } = request;
  const requested = { definition, version, subresource };
  return {
    kind: kindOfTarget(target),
    resource: resourceOfTarget(target),
    ...(subresource !== '' && { subResource: subresource }),
    requestKind: kindOfTarget(requested),
    requestResource: resourceOfTarget(requested),
    ...(subresource !== '' && { requestSubResource: subresource }),
    ...(name !== '' && { name }),
    ...(namespace !== '' && { namespace }),
    operation,
    userInfo: userInfo(user),
    dryRun,
    options: operation === 'CONNECT' ? null : options,
  };
}
