import type { Cluster } from '../../api/karmada/types.js';
import type { ControllerContext } from '../../client/runtime/interface.js';
import { MemberReports } from '../../controllers/cluster/member-reports.js';
import { startClusterStatusController } from '../../controllers/cluster/status.js';
import type { Interpreter } from '../../controllers/interpreter/interface.js';
import type { MemberWatch } from '../../controllers/members/member-watch.js';
import { retryMirrorsOfNewKinds } from '../../controllers/members/new-kinds.js';
import { startExecutionController } from '../../controllers/work/execution.js';
import { releaseUnusedMirrors } from '../../controllers/work/unused-mirrors.js';
import { startWorkStatusController } from '../../controllers/work/work-status.js';
import type { FeatureGates } from '../../kinds/karmada/feature-gates.js';
import type { Probing } from '../flags/karmada/cluster.js';

interface MemberControllerOptions {
  readonly members: MemberWatch;
  /** Selects the clusters to serve: those in push mode, or the agent's own. */
  readonly serves: (cluster: Cluster) => boolean;
  readonly interpreter: Interpreter;
  readonly probing: Probing;
  /** The status of a cluster has the number of nodes of each grade (--enable-cluster-resource-modeling). */
  readonly modelsResources: boolean | undefined;
  readonly gates: FeatureGates;
}

/**
 * Starts the enabled ones of the controllers that work on members: they observe clusters, apply Works, and report the status of their objects. The
 * control plane runs them for members in push mode, an agent for its own one.
 */
export function startMemberControllers(
  context: ControllerContext,
  enabled: (controller: 'clusterStatus' | 'execution' | 'workStatus') => boolean,
  { members, serves, interpreter, probing, modelsResources, gates }: MemberControllerOptions,
): void {
  if (enabled('clusterStatus')) {
    const reports = new MemberReports(context);
    const gradesNodes = gates.CustomizedClusterResourceModeling;
    startClusterStatusController(context, { members, serves, reports, modelsResources, gradesNodes, ...probing });
  }
  if (enabled('execution') || enabled('workStatus')) {
    releaseUnusedMirrors(context, members);
    retryMirrorsOfNewKinds(context, members);
  }
  if (enabled('execution')) startExecutionController(context, { interpreter, members, serves });
  if (enabled('workStatus')) startWorkStatusController(context, { interpreter, members, serves });
}
