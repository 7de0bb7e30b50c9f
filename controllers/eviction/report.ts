/** Events about evictions, of the binding and of its template. as pkg/util/helper EmitClusterEvictionEventForResourceBinding */
import type { Binding } from '../../api/karmada/types.js';
import type { EventRecorder } from '../../client/runtime/interface.js';
import { referenced } from '../../kinds/karmada/referenced.js';

/** Records that a cluster was taken from a binding, after the binding was written. */
export function reportEviction(recorder: EventRecorder, binding: Binding, cluster: string): void {
  for (const about of [binding, referenced(binding.spec.resource)])
    recorder.event(about, 'Normal', 'EvictWorkloadFromClusterSucceed', `Evict from cluster ${cluster} succeed.`);
}

/** Records that a binding could not be written without the cluster. The eviction is tried again. */
export function reportFailedEviction(recorder: EventRecorder, binding: Binding, cluster: string): void {
  for (const about of [binding, referenced(binding.spec.resource)])
    recorder.event(about, 'Warning', 'EvictWorkloadFromClusterFailed', `Evict from cluster ${cluster} failed.`);
}
