import type { Endpoint, RemoteClient } from '../../aggregation/interface.js';
import { boundTokens } from '../../aggregation/members/accounts.js';
import { joinCluster, otherNameOf } from '../../aggregation/members/join.js';
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
  startClusterApiDetector(context, { management, join: (name, text) => join(name, text, context) });
  return () => management.close();
}

/** Joins a cluster as `karmadactl join` does. Rejects when the signal aborts: a stop does not wait for a cluster that does not answer. */
async function join(
  name: string,
  kubeconfig: string,
  { client: control, signal, log }: Pick<ControllerContext, 'client' | 'signal' | 'log'>,
): Promise<void> {
  signal.throwIfAborted();
  const endpoint = parseKubeconfig(kubeconfig, `the kubeconfig of the cluster ${name}`);
  const member = remote(endpoint, { userAgent });
  let end = (): void => undefined;
  const ended = new Promise<never>((_, reject) => (end = () => reject(new ExpectedError('this process stops'))));
  signal.addEventListener('abort', end, { once: true });
  try {
    await Promise.race([ended, joinWith(member, endpoint, { name, control, signal, log })]);
  } finally {
    signal.removeEventListener('abort', end);
    await member.close();
  }
}

interface JoiningWith {
  readonly name: string;
  readonly control: Client;
  readonly signal: AbortSignal;
  readonly log: ControllerContext['log'];
}

async function joinWith(member: RemoteClient, endpoint: Endpoint, { log, ...joining }: JoiningWith): Promise<void> {
  const { name, control } = joining;
  const other = await otherNameOf(member, control, name);
  if (other !== undefined) throw new ExpectedError(`the same cluster has been registered with name ${other}`);
  const { server, ca = '' } = endpoint;
  const to = { endpoint: server, authority: ca, reach: endpoint };
  const tokens = boundTokens(refusal =>
    log.warn({ cluster: name, err: refusal }, 'the cluster issues no tokens that expire: one without expiry is used'),
  );
  await joinCluster({ ...joining, member, ...to, tokens });
}
