import type { KubeObject } from '../../../apimachinery/interface.js';
import type { ResourceClaim } from '../../../api/kubernetes/resource.js';
import { allocatedDevices, deviceId } from './resource-claim-rules.js';

/** Drops the status of a device together with its allocation. */
// as pkg/registry/resource/resourceclaim dropDeallocatedStatusDevices
export function dropFreed(draft: KubeObject, old: KubeObject | undefined): void {
  const { status } = draft as ResourceClaim;
  if (!status) return;
  const kept = allocatedDevices(status);
  const freed = new Set([...allocatedDevices((old as ResourceClaim | undefined)?.status)].filter(id => !kept.has(id)));
  const devices = (status.devices ?? []).filter(device => !freed.has(deviceId(device)));
  if (devices.length > 0) status.devices = devices;
  else delete status.devices;
}
