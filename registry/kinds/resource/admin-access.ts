/** Devices in use by others may only be had in namespaces that say so. as pkg/registry/resource AuthorizedForAdmin */
import type { KubeObject } from '../../../openapi/interface.js';
import { forbiddenField, internalFault } from '../../../openapi/meta/faults.js';
import { invalid, isNotFound } from '../../../openapi/meta/status.js';
import type { ActionCall, Settle } from '../../interface.js';
import type { DeviceClaim, ResourceClaim, ResourceClaimTemplate } from '../types/resource.js';

const namespaces = { group: '', version: 'v1', resource: 'namespaces' } as const;
const label = 'resource.kubernetes.io/admin-access';

function claimOf(object: KubeObject): DeviceClaim | undefined {
  if (object.kind === 'ResourceClaim') return (object as ResourceClaim).spec?.devices;
  return (object as ResourceClaimTemplate).spec?.spec?.devices;
}

async function isAllowed({ client, namespace }: ActionCall): Promise<boolean> {
  const { metadata } = await client.get(namespaces, { name: namespace });
  return metadata.labels?.[label] === 'true';
}

/** When the object is new: what it asks for does not change. */
export async function checkAdminAccess(
  draft: KubeObject,
  old: KubeObject | undefined,
  call: ActionCall,
): Promise<Settle> {
  const at = (claimOf(draft)?.requests ?? []).findIndex(({ exactly }) => exactly?.adminAccess);
  if (at >= 0 && !old) {
    const path = `spec.devices.requests[${at}].adminAccess`;
    const text = `admin access to devices requires the \`${label}: true\` label on the containing namespace`;
    const refuse = (fault: ReturnType<typeof forbiddenField>): never => {
      throw invalid({ group: 'resource.k8s.io', kind: draft.kind }, draft.metadata.name ?? '', [fault]);
    };
    try {
      if (!(await isAllowed(call))) refuse(forbiddenField(path, text));
    } catch (error) {
      if (!isNotFound(error)) throw error;
      refuse(internalFault(path, `could not retrieve namespace to verify admin access: ${error.message}`));
    }
  }
  return () => Promise.resolve();
}
