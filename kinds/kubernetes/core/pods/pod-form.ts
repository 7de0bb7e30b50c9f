import type { PodSpec, PodTemplateSpec } from '../../../../api/kubernetes/core.js';

/** Where Go keeps what the API has at the pod itself. */
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

/** A template likewise. */
export function templateForm(template: PodTemplateSpec | undefined): unknown {
  return template && { ...template, spec: podForm(template.spec) };
}
