import type { Endpoint } from '../../aggregation/interface.js';
import { joinCluster, otherNameOf, secretTokens } from '../../aggregation/members/join.js';
import { remote } from '../../aggregation/remote/client.js';
import { parseKubeconfig } from '../../aggregation/remote/kubeconfig.js';
import type { Client } from '../../client/interface.js';
import type { ControllerContext } from '../../client/runtime/interface.js';
import { startClusterApiDetector } from '../../controllers/cluster-api/cluster-api-detector.js';
import { ExpectedError } from '../../lib/logging/cause.js';

const userAgent = 'karmada-controller-manager';

/** Starts the detector of the clusters of Cluster API. Returns a function that closes its connection to the management cluster. */
export function startClusterApi(context: ControllerContext, endpoint: Endpoint): () => Promise<void> {
  const management = remote(endpoint, { userAgent });
  startClusterApiDetector(context, { management, join: (name, text) => join(name, text, context.client) });
  return () => management.close();
}

/** Joins a cluster as `karmadactl join` does. */
async function join(name: string, kubeconfig: string, control: Client): Promise<void> {
  const endpoint = parseKubeconfig(kubeconfig, `the kubeconfig of the cluster ${name}`);
  const member = remote(endpoint, { userAgent });
  try {
    const other = await otherNameOf(member, control, name);
    if (other !== undefined) throw new ExpectedError(`the same cluster has been registered with name ${other}`);
    const { server, ca = '' } = endpoint;
    const to = { endpoint: server, authority: ca, reach: endpoint };
    await joinCluster({ name, control, member, ...to, tokens: secretTokens });
  } finally {
    await member.close();
  }
}
