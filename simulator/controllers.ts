import { metricsApis } from '../server/metrics-apis.js';
import type { Part } from '../server/parts.js';
import { tokenAuthority } from '../authn/identity/service-account/authority.js';
import { namespaces } from '../api/kubernetes/resources.js';
import { startPlatformControllers } from '../controllers/platform/start.js';
import { componentContext } from '../client/runtime/component.js';
import { startEndpoints } from './cluster/endpoints.js';
import { startEndpointMirror } from './cluster/endpoint-mirror.js';
import { startNamespaceDefaults } from './cluster/namespaces.js';
import { ensureNodes, type Hardware } from './cluster/nodes.js';
import { startNodeTaints } from './cluster/node-taints.js';
import { startQuotas } from './cluster/quotas.js';
import { startVolumes } from './cluster/volumes.js';
import { startTaintEviction } from './cluster/taint-eviction.js';
import type { KubeletAddresses } from './kubelet/kubelet-addresses.js';
import { startKubeletServer } from './kubelet/start.js';
import { metricsOfMember } from './metrics/metrics-of-member.js';
import { startKubelets } from './pods/kubelet.js';
import { startCronJobs } from './workloads/cron-job.js';
import { startDaemonSets } from './workloads/daemon-set.js';
import { startDeployments } from './workloads/deployment.js';
import { startDisruption } from './workloads/disruption.js';
import { startJobs } from './workloads/job.js';
import { startReplicaSets } from './workloads/replica-set.js';
import { startReplicationControllers } from './workloads/replication-controller.js';
import { startStatefulSets } from './workloads/stateful-set.js';

/**
 * Makes a plain API server a cluster without nodes and workloads: namespaces get their defaults, and are removed with what is in them. The controller
 * that removes them mirrors every kind, which takes as much memory as the rest of such a member, so it starts with the first removal.
 */
export const lightCluster = (cluster: string): Part => ({
  name: `light-cluster-${cluster}`,
  start(part) {
    const context = componentContext(part, 'kube-controller-manager');
    startNamespaceDefaults(context, part.pki.authority.certificate);
    const mirror = context.informers.informer(namespaces);
    const isNeeded = (name: string): boolean => name === 'namespace-controller';
    let isStarted = false;
    context.run({
      name: 'namespace-removal',
      workers: 1,
      synced: [mirror.synced],
      wire: queue =>
        mirror.onChange(({ key, new: namespace }) => {
          if (!isStarted && namespace?.metadata.deletionTimestamp) queue.add(key);
        }),
      async reconcile() {
        if (isStarted) return;
        await startPlatformControllers(context, tokenAuthority(part.pki), part.catalogue, isNeeded);
        isStarted = true;
      },
    });
    return Promise.resolve({ stop: () => context.finished() });
  },
});

interface ClusterOptions {
  readonly hardware: Hardware;
  /** The host of the ports of kubelets. */
  readonly host: string;
  /** Gets the ports of kubelets, for the API server. */
  readonly addresses: KubeletAddresses;
}

/** Makes a plain API server behave like a cluster: creates its nodes, and starts the controllers that users of a cluster rely on. */
export const simulatedCluster = (cluster: string, { hardware, host, addresses }: ClusterOptions): Part => ({
  name: `simulated-cluster-${cluster}`,
  async start(part) {
    const context = componentContext(part, 'kube-controller-manager');
    const kubelets = await startKubeletServer(context, part.pki, { cluster, nodes: hardware.nodes, host, addresses });
    const settings = { ...hardware, kubeletPort: kubelets.port };
    await ensureNodes(context.client, cluster, settings, context.clock.now());
    startNamespaceDefaults(context, part.pki.authority.certificate);
    startNodeTaints(context);
    startTaintEviction(context);
    const placement = startKubelets(context, cluster);
    startReplicaSets(context, placement);
    startReplicationControllers(context, placement);
    startDeployments(context);
    startStatefulSets(context);
    startDaemonSets(context);
    startJobs(context);
    startCronJobs(context);
    startDisruption(context);
    startEndpoints(context);
    startEndpointMirror(context);
    startVolumes(context);
    startQuotas(context, part.catalogue);
    await startPlatformControllers(context, tokenAuthority(part.pki), part.catalogue, () => true);
    return {
      ...metricsApis(metricsOfMember(context, part.catalogue), part.offload),
      async stop() {
        kubelets.close();
        await context.finished();
      },
    };
  },
});
