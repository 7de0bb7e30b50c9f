/** Events about evictions, of the binding and of its template. as pkg/util/helper EmitClusterEvictionEventForResourceBinding */
import type { KubeObject } from '../../apimachinery/interface.js';
import type { Binding, ObjectReference } from '../../api/karmada/types.js';
import type { EventRecorder } from '../../client/runtime/interface.js';

/** Returns the referenced object with the fields that events need. */
export function referenced({ apiVersion, kind, namespace, name, uid }: ObjectReference): KubeObject {
  return { apiVersion, kind, metadata: { name, ...(namespace ? { namespace } : {}), ...(uid ? { uid } : {}) } };
}

export function reportEviction(recorder: EventRecorder, binding: Binding, cluster: string): void {
  for (const about of [binding, referenced(binding.spec.resource)])
    recorder.event(about, 'Normal', 'EvictWorkloadFromClusterSucceed', `Evict from cluster ${cluster} succeed.`);
}

export function reportFailedEviction(recorder: EventRecorder, binding: Binding, cluster: string): void {
  for (const about of [binding, referenced(binding.spec.resource)])
    recorder.event(about, 'Warning', 'EvictWorkloadFromClusterFailed', `Evict from cluster ${cluster} failed.`);
}
