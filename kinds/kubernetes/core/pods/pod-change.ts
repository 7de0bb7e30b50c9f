import { cloneJson } from '../../../../lib/json/clone.js';
import { isConflict } from '../../../../apimachinery/errors/status.js';
import type { ActionCall } from '../../../../registry/interface.js';
import type { Pod } from '../../../../api/kubernetes/core.js';
import { pods } from '../../../../api/kubernetes/resources.js';

/** How often a change starts over because somebody else was quicker. */
const attempts = 10;

/** How an action writes the pod: under its own subresource, whose `rules` it has. `change` looks at each state anew, and may refuse it. */
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
