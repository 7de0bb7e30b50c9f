/** Runs a control plane with controllers, scheduler and one simulated member in this process. */
import type { Test } from 'tap';
import { createMembers } from '../../aggregation/members/members.js';
import { silent } from '../../server/logger.js';
import type { Part } from '../../server/parts.js';
import { karmadaControllers } from '../../cli/parts/karmada-controllers.js';
import { kubernetesControllers } from '../../cli/parts/kubernetes-controllers.js';
import { parseMembers } from '../../cli/members-file.js';
import { SimulatedMembers } from '../../cli/up/simulated-members.js';
import { scheduler } from '../../cli/parts/scheduler.js';
import type { GroupVersionResource, KubeObject } from '../../apimachinery/interface.js';
import type { FeatureGates } from '../../kinds/karmada/feature-gates.js';
import { MemberReports } from '../../controllers/cluster/member-reports.js';
import { startClusterStatusController } from '../../controllers/cluster/status.js';
import { componentContext } from '../../client/runtime/component.js';
import { find } from '../../client/find.js';
import { memberContexts } from '../../controllers/members/member-contexts.js';
import { createMemberWatch } from '../../controllers/members/member-watch.js';
import { runningServer, temporaryFolder, type TestServer } from '../apiserver/running.js';
import { until } from '../storage/until.js';

const all = (): boolean => true;

/** Starts the cluster status controller with a period of the test's choice. */
const clusterStatus = (frequencyMs: number): Part => ({
  name: 'cluster-status',
  start(part) {
    const context = componentContext(part, 'karmada-controller-manager');
    const connections = createMembers(context.client, 'karmada-controller-manager', { retriesByQueue: true });
    startClusterStatusController(context, {
      members: createMemberWatch(memberContexts(connections, context)),
      serves: () => true,
      reports: new MemberReports(context),
      frequencyMs,
    });
    return Promise.resolve({
      async stop() {
        await connections.close();
        await context.finished();
      },
    });
  },
});

interface Options {
  /** Milliseconds between two observations of a cluster; absent for the default. */
  readonly lookEveryMs?: number;
  readonly featureGates?: FeatureGates;
}

export async function controlPlane(t: Test, { lookEveryMs, featureGates }: Options = {}): Promise<TestServer> {
  const directory = await temporaryFolder(t);
  const members = new SimulatedMembers({ described: parseMembers('1'), directory, host: '127.0.0.1', port: 0 }, silent);
  const karmada =
    lookEveryMs === undefined
      ? [karmadaControllers(all)]
      : [karmadaControllers(name => name !== 'clusterStatus'), clusterStatus(lookEveryMs)];
  const parts = [kubernetesControllers(all), ...karmada, scheduler(), members.part];
  return runningServer(t, { parts, ...(featureGates && { featureGates }) });
}

/** Resolves with the object once it exists and `holds` returns true for it. */
export async function comesAbout(
  { client }: TestServer,
  resource: GroupVersionResource,
  key: { readonly namespace?: string; readonly name: string },
  holds: (object: KubeObject) => boolean = () => true,
): Promise<KubeObject> {
  let found: KubeObject | undefined;
  await until(`${resource.resource} ${key.namespace ?? ''}/${key.name}`, async () => {
    found = await find(client, resource, key);
    return found !== undefined && holds(found);
  });
  if (!found) throw new Error('not reached');
  return found;
}
