/** Resources that joining and leaving write, in members and in the control plane. */
import type { GroupVersionResource } from '../../apimachinery/interface.js';

/** Returns a resource of the core group. */
export const core = (resource: string): GroupVersionResource => ({ group: '', version: 'v1', resource });
/** Returns a resource of RBAC. */
export const rbac = (resource: string): GroupVersionResource => ({
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  resource,
});
