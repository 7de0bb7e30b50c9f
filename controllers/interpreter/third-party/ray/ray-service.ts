import type { JsonObject, KubeObject } from '../../../../apimachinery/interface.js';
import { compareQuantities, parseQuantity } from '../../../../apimachinery/quantity/quantity.js';
import type { ReplicaRequirements } from '../../../../api/karmada/types.js';
import { converted } from '../../answers/converted.js';
import type { Replicas } from '../../interface.js';
import { hasTrueCondition } from '../conditions.js';
import { greatestOf } from '../extremes.js';
import { healthyIf } from '../health.js';
import type { KindInterpreter } from '../kind.js';
import { templateRequirements } from '../pod-template.js';
import { mapOf, numberOf, fieldAt, fieldIfAny } from '../read.js';
import { replicasFrom } from '../replica-result.js';
import { entriesIn } from '../values.js';
import { rayDependencies } from './ray-dependencies.js';
import { headTemplate, groupReplicas, workerGroups } from './ray-groups.js';
import { aggregateRay, type RayStatuses, worst } from './ray-status.js';

/** The worst status of an application in any cluster is its status. */
const applicationSeverities: ReadonlyMap<unknown, number> = new Map([
  ['RUNNING', 0],
  ['NOT_STARTED', 1],
  ['DEPLOYING', 2],
  ['DELETING', 3],
  ['UNHEALTHY', 4],
  ['DEPLOY_FAILED', 5],
]);

const clusterOf = (object: KubeObject): unknown => fieldIfAny(object, 'spec', 'rayClusterConfig');

const workersIn = (group: unknown): number => numberOf(groupReplicas(group), 'the replicas of a worker group');

/** Returns the largest amount of a resource that one pod requests; undefined if none requests it. */
function largest(requirements: readonly (ReplicaRequirements | undefined)[], resource: string): string | undefined {
  const amounts = requirements.flatMap(required => required?.resourceRequest?.[resource] ?? []);
  return amounts.reduce<string | undefined>(
    (most, amount) =>
      most === undefined || compareQuantities(parseQuantity(amount), parseQuantity(most)) > 0 ? amount : most,
    undefined,
  );
}

/** Counts the head and all workers. One requires what the head does, but as much CPU and memory as the largest group. */
async function replicas(object: KubeObject): Promise<Replicas> {
  const cluster = clusterOf(object);
  const template = headTemplate(cluster);
  if (template === undefined) return { replicas: 0, requirements: undefined };
  const ofHead = templateRequirements(template);
  const groups = workerGroups(cluster);
  const total = groups.reduce<number>((sum, group) => sum + workersIn(group), 1);
  const ofGroups = await converted(groups, group => {
    const workerTemplate = fieldAt(group, 'template');
    return workerTemplate === undefined ? undefined : templateRequirements(workerTemplate);
  });
  const all = [ofHead, ...ofGroups];
  const resourceRequest = { ...ofHead?.resourceRequest, cpu: largest(all, 'cpu'), memory: largest(all, 'memory') };
  return replicasFrom(total, ofHead && { ...ofHead, resourceRequest });
}

/** Distributes workers over groups in proportion to their replicas, or evenly if they have none. The last group gets the rest. */
function distribute(workers: number, groups: readonly unknown[]): number[] {
  const current = groups.map(workersIn);
  const total = current.reduce((sum, count) => sum + count, 0);
  const share = (count: number, i: number): number =>
    total === 0
      ? Math.floor(workers / groups.length) + (i < workers % groups.length ? 1 : 0)
      : Math.floor(workers * (count / total) + 0.5);
  if (workers === 0) return current.map(() => 0);
  const shares = current.slice(0, -1).map(share);
  return [...shares, workers - shares.reduce((sum, count) => sum + count, 0)];
}

/** Changes the number of workers. The head is always one. */
function reviseReplica(object: KubeObject, count: number): KubeObject {
  const cluster = clusterOf(object);
  const groups = workerGroups(cluster);
  if (groups.length === 0) return object;
  const workers = Math.max(0, count - 1);
  const counts = groups.length === 1 ? [workers] : distribute(workers, groups);
  const workerGroupSpecs = groups.map((group, i) => ({ ...mapOf(group, 'a worker group'), replicas: counts[i] }));
  const rayClusterConfig = { ...mapOf(cluster, 'spec.rayClusterConfig'), workerGroupSpecs };
  return { ...object, spec: { ...mapOf(fieldAt(object, 'spec'), 'spec'), rayClusterConfig } };
}

const statusOf = (application: unknown): unknown => fieldAt(application, 'status');

/** Returns the first active status, with the applications of all clusters. */
function activeStatus(statuses: RayStatuses): JsonObject | undefined {
  const active = statuses.first('activeServiceStatus');
  if (active === undefined) return undefined;
  const applications = new Map<string, unknown>();
  for (const reported of statuses.values('activeServiceStatus', 'applicationStatuses'))
    for (const [name, application] of entriesIn(reported, 'applicationStatuses')) {
      const known = applications.has(name) ? [applications.get(name)] : [];
      applications.set(name, worst([...known, application], applicationSeverities, statusOf));
    }
  const applicationStatuses = Object.fromEntries(applications);
  return { ...mapOf(active, 'activeServiceStatus'), applicationStatuses };
}

/** Interprets a RayService. */
export const rayService: KindInterpreter = {
  replicas,
  reviseReplica,
  aggregateStatus: aggregateRay(statuses => {
    const activeServiceStatus = activeStatus(statuses);
    const pendingServiceStatus = statuses.first('pendingServiceStatus');
    return {
      conditions: statuses.conditions(),
      numServeEndpoints: statuses.sum('numServeEndpoints'),
      lastUpdateTime: greatestOf(statuses.values('lastUpdateTime'), 'status.lastUpdateTime'),
      observedGeneration: greatestOf([0, ...statuses.values('observedGeneration')], 'status.observedGeneration'),
      // A cluster in which the service does not run reports an empty string.
      serviceStatus: statuses.values('serviceStatus').includes('') ? '' : 'Running',
      ...(activeServiceStatus && { activeServiceStatus }),
      ...(pendingServiceStatus !== undefined && { pendingServiceStatus }),
    };
  }),
  dependencies: object => rayDependencies(object, clusterOf(object)),
  health: healthyIf(object => hasTrueCondition(object, 'Ready')),
};
