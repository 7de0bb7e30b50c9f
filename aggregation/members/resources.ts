/** Resources that joining and leaving write, in members and in the control plane. */
import type { GroupVersionResource } from '../../apimachinery/interface.js';

export const core = (resource: string): GroupVersionResource => ({ group: '', version: 'v1', resource });
export const rbac = (resource: string): GroupVersionResource => ({
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  resource,
});
