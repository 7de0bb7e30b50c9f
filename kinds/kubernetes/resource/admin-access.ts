/**
 * Admin access, which includes devices in use by others, is allowed only in namespaces with a label for it. as pkg/registry/resource
 * AuthorizedForAdmin
 */
import type { Fault, KubeObject } from '../../../apimachinery/interface.js';
import { forbiddenField, internalFault } from '../../../apimachinery/errors/faults.js';
import { invalid, isNotFound } from '../../../apimachinery/errors/status.js';
import type { ActionCall, Settle } from '../../../registry/interface.js';
import type { DeviceClaim, ResourceClaim, ResourceClaimTemplate } from '../../../api/kubernetes/resource.js';
import { namespaces } from '../../../api/kubernetes/resources.js';

const label = 'resource.kubernetes.io/admin-access';

function claimOf(object: KubeObject): DeviceClaim | undefined {
  if (object.kind === 'ResourceClaim') return (object as ResourceClaim).spec?.devices;
  return (object as ResourceClaimTemplate).spec?.spec?.devices;
}

async function isAllowed({ client, namespace }: ActionCall): Promise<boolean> {
  const { metadata } = await client.get(namespaces, { name: namespace });
  return metadata.labels?.[label] === 'true';
}

/** Returns what is wrong with admin access in the namespace; `path` is the path of the error. */
export async function adminAccessFault(call: ActionCall, path: string): Promise<Fault | undefined> {
  try {
    if (await isAllowed(call)) return undefined;
  } catch (error) {
    if (!isNotFound(error)) throw error;
    return internalFault(path, `could not retrieve namespace to verify admin access: ${error.message}`);
  }
  const text = `admin access to devices requires the \`${label}: true\` label on the containing namespace`;
  return forbiddenField(path, text);
}

/** Rejects a new object that requests admin access where it is not allowed. Updates need no check, since the requests do not change. */
export async function checkAdminAccess(
  draft: KubeObject,
  old: KubeObject | undefined,
  call: ActionCall,
): Promise<Settle> {
  const at = (claimOf(draft)?.requests ?? []).findIndex(({ exactly }) => exactly?.adminAccess);
  const fault = at >= 0 && !old && (await adminAccessFault(call, `spec.devices.requests[${at}].adminAccess`));
  if (fault) throw invalid({ group: 'resource.k8s.io', kind: draft.kind }, draft.metadata.name ?? '', [fault]);
  return () => Promise.resolve();
}
