import type { KubeObject } from '../../apimachinery/interface.js';
import { errorText } from '../../apimachinery/errors/error-text.js';
import { ignoreNotFound } from '../../client/find.js';
import type { Client } from '../../client/interface.js';
import { splitKey } from '../../client/key.js';
import { NotYet } from '../../client/runtime/controller.js';
import { createInformerFactory } from '../../client/runtime/mirrors/informer.js';
import type { ControllerContext, Informer, Key, KeyGrouping } from '../../client/runtime/interface.js';
import type { Cluster } from '../../api/karmada/types.js';
import { resources } from '../../api/karmada/well-known.js';
import { secrets } from '../../api/kubernetes/resources.js';
import { checkClusterName } from '../../kinds/karmada/clusters/cluster-rules.js';
import { ExpectedError } from '../../lib/logging/cause.js';
import { secretText } from '../../kinds/kubernetes/core/config/secret-text.js';

const clusterApiClusters = { group: 'cluster.x-k8s.io', version: 'v1beta1', resource: 'clusters' };

interface ClusterApiOptions {
  /** Client of the management cluster of Cluster API. */
  readonly management: Client;
  /** Joins a cluster in push mode, with the text of a kubeconfig of its administrator. Resolves too if it has joined already. */
  readonly join: (name: string, kubeconfig: string) => Promise<void>;
}

/** Each cluster is reconciled independently of others, which may be slow or silent. */
const byCluster: KeyGrouping = { of: key => key, maxWorkers: 1, waitsForRemote: true };

/**
 * Joins the clusters of Cluster API when they are provisioned, and unjoins them when they are deleted.
 * as pkg/clusterdiscovery/clusterapi ClusterDetector
 */
export function startClusterApiDetector(context: ControllerContext, options: ClusterApiOptions): void {
  const { clock, log, signal } = context;
  const informers = createInformerFactory({ client: options.management, clock, log, signal });
  const provisioned = informers.informer(clusterApiClusters);
  const clusters = context.informers.informer<Cluster>(resources.clusters);
  context.run({
    name: 'cluster-api-detector',
    groups: byCluster,
    synced: [clusters.synced],
    wire: queue => provisioned.onChange(({ key }) => queue.add(key)),
    reconcile: key => reconcile(key, { ...options, control: context.client, provisioned, clusters }),
  });
}

interface DetectorDeps extends ClusterApiOptions {
  /** Client of the control plane. */
  readonly control: Client;
  /** The clusters of Cluster API. */
  readonly provisioned: Informer;
  /** The clusters of the control plane. */
  readonly clusters: Informer<Cluster>;
}

async function reconcile(key: Key, deps: DetectorDeps): Promise<void> {
  const { namespace, name } = splitKey(key);
  const cluster = deps.provisioned.get(key);
  if (!cluster) return unjoin(namespace, name, deps);
  if (phaseOf(cluster) !== 'Provisioned' || deps.clusters.get(name)) return;
  const faults = checkClusterName(name);
  if (faults.length > 0) throw new ExpectedError(`invalid cluster name(${name}): ${faults.join(';')}`);
  await deps.join(name, await kubeconfigOf(namespace, name, deps));
}

const phaseOf = ({ status }: KubeObject): string | undefined =>
  (status as { readonly phase?: string } | undefined)?.phase;

/** Deletes the Cluster of a deleted cluster, whose controllers clean up. A cluster of this name in another namespace keeps it. */
async function unjoin(namespace: string, name: string, deps: DetectorDeps): Promise<void> {
  const { management, control, provisioned, clusters } = deps;
  for (const key of provisioned.cached.keys()) if (splitKey(key).name === name) return;
  if (!clusters.get(name)) return;
  await requireDeleted(namespace, name, management);
  await ignoreNotFound(control.delete(resources.clusters, { name }));
}

/**
 * Throws NotYet unless the management cluster lists the kind, and not this cluster: a mirror is empty, too, while the kind is not served, for example
 * during an upgrade of Cluster API.
 */
async function requireDeleted(namespace: string, name: string, management: DetectorDeps['management']): Promise<void> {
  const { items } = await management
    .list(clusterApiClusters, { namespace, fieldSelector: `metadata.name=${name}` })
    .catch((error: unknown) => {
      throw new NotYet(`the management cluster does not list its clusters: ${errorText(error)}`);
    });
  if (items.length > 0) throw new NotYet(`the management cluster still has the cluster ${namespace}/${name}`);
}

/** Returns the kubeconfig that Cluster API has written. as sigs.k8s.io/cluster-api/util/secret */
async function kubeconfigOf(namespace: string, name: string, { management }: DetectorDeps): Promise<string> {
  const secretName = `${name}-kubeconfig`;
  const secret = await management.get(secrets, { namespace, name: secretName });
  const kubeconfig = secretText(secret, 'value');
  if (!kubeconfig) throw new NotYet(`the Secret ${namespace}/${secretName} has no kubeconfig`);
  return kubeconfig;
}
