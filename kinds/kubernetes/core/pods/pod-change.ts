import { cloneJson } from '../../../../lib/json/clone.js';
import { isConflict } from '../../../../apimachinery/errors/status.js';
import type { ActionCall } from '../../../../registry/interface.js';
import type { Pod } from '../../../../api/kubernetes/core.js';
import { pods } from '../../../../api/kubernetes/resources.js';

/** The maximum number of attempts if other writers change the pod concurrently. */
const attempts = 10;

/**
 * Writes the pod for an action under its own subresource, with that subresource's `rules`. `change` checks each state anew, and may refuse it.
 */
export async function changePod(
  call: ActionCall,
  name: string,
  subresource: string,
  change: (pod: Pod) => void,
): Promise<Pod> {
  for (let attempt = 1; ; attempt++) {
    const pod = cloneJson(await call.client.get(pods, { namespace: call.namespace, name })) as Pod;
    change(pod);
    try {
      return await call.client.update(pods, pod, { subresource, dryRun: call.dryRun });
    } catch (error) {
      if (!isConflict(error) || attempt === attempts) throw error;
    }
  }
}
