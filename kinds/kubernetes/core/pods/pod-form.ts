import type { PodSpec, PodTemplateSpec } from '../../../../api/kubernetes/core.js';

/** Returns a pod spec with its fields at the places that they have in Go's internal type, which are not those of the API. */
export function podForm(spec: PodSpec | undefined): unknown {
  if (!spec) return spec;
  const { hostNetwork, hostPID, hostIPC, shareProcessNamespace, hostUsers } = spec;
  const ofHost = {
    '?HostNetwork': hostNetwork,
    '?HostPID': hostPID,
    '?HostIPC': hostIPC,
    '?ShareProcessNamespace': shareProcessNamespace,
    '?HostUsers': hostUsers,
  };
  return { ...spec, securityContext: { ...spec.securityContext, ...ofHost } };
}

/** As `podForm`, for a template. */
export function templateForm(template: PodTemplateSpec | undefined): unknown {
  return template && { ...template, spec: podForm(template.spec) };
}
