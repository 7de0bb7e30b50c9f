import { cloneJson } from '../../../../openapi/meta/clone.js';
import { isConflict } from '../../../../openapi/meta/status.js';
import type { ActionCall } from '../../../interface.js';
import type { Pod } from '../../types/core.js';
import { pods } from '../../native-resources.js';

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
