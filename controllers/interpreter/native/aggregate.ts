import type { JsonObject } from '../../../apimachinery/interface.js';
import { semanticEqual } from '../../../lib/json/equality.js';
import { type Aggregate, collected, withStatus, workloads } from './aggregate-workloads.js';
import { aggregateJob } from './job-status.js';
import { isMap } from '../../../lib/json/is-map.js';
import { mapAt, numberAt, textAt } from './object.js';

const list = (map: JsonObject | undefined, field: string): JsonObject[] => {
  const value = map?.[field];
  return Array.isArray(value) ? value.filter(isMap) : [];
};

/** Merges the load balancer ingress points of all clusters without duplicates, sorted: hostnames first, then addresses. */
const loadBalancer: Aggregate = (object, items) => {
  const points = new Map<string, JsonObject>();
  for (const { status } of collected(items)) {
    for (const point of list(mapAt(status, 'loadBalancer'), 'ingress')) {
      const key = ['hostname', 'ip', 'ipMode'].map(field => textAt(point, field) ?? '').join('/');
      const known = list(points.get(key), 'ports');
      const ports = [
        ...known,
        ...list(point, 'ports').filter(port => !known.some(other => semanticEqual(other, port))),
      ];
      ports.sort(byText(['port', 'protocol', 'error']));
      const { ports: _ports, ...rest } = point;
      points.set(key, ports.length > 0 ? { ...rest, ports } : rest);
    }
  }
  const ingress = [...points.values()].sort(byText(['hostname', 'ip', 'ipMode']));
  return withStatus(object, { loadBalancer: ingress.length > 0 ? { ingress } : {} });
};

/** Compares by the fields in turn. An empty value sorts last, except for `ip`, which sorts as text. */
function byText(fields: readonly string[]): (a: JsonObject, b: JsonObject) => number {
  return (a, b) => {
    for (const field of fields) {
      const [x, y] = [a[field] ?? '', b[field] ?? ''];
      if (x === y) continue;
      if (field !== 'ip' && (x === '' || y === '')) return x === '' ? 1 : -1;
      return x < y ? -1 : 1;
    }
    return 0;
  };
}

const service: Aggregate = (object, items) =>
  textAt(object, 'spec', 'type') === 'LoadBalancer' ? loadBalancer(object, items) : object;

const cronJob: Aggregate = (object, items) => {
  const statuses = collected(items).map(({ status }) => status);
  const latest = (field: string): JsonObject => {
    const times = statuses.map(status => textAt(status, field)).filter(time => time !== undefined);
    const last = times.reduce<string | undefined>(
      (a, b) => (a === undefined || Date.parse(a) < Date.parse(b) ? b : a),
      undefined,
    );
    return last === undefined ? {} : { [field]: last };
  };
  const active = statuses.flatMap(status => list(status, 'active'));
  return withStatus(object, {
    ...(active.length > 0 ? { active } : {}),
    ...latest('lastScheduleTime'),
    ...latest('lastSuccessfulTime'),
  });
};

/** Returns the first phase of `order` that occurs in an item; an item without status counts as Pending. */
function worstPhase(items: Parameters<Aggregate>[1], order: readonly string[]): JsonObject {
  const phases = new Set(items.map(({ status }) => (status ? (textAt(status, 'phase') ?? '') : 'Pending')));
  const phase = order.find(candidate => phases.has(candidate));
  return phase === undefined ? {} : { phase };
}

const pod: Aggregate = (object, items) => {
  const containers = (field: string): JsonObject[] =>
    collected(items).flatMap(({ status }) =>
      list(status, field).map(({ ready = false, state = {} }) => ({ ready, state })),
    );
  const initContainerStatuses = containers('initContainerStatuses');
  const containerStatuses = containers('containerStatuses');
  return withStatus(object, {
    ...worstPhase(items, ['Failed', 'Pending', 'Running', 'Succeeded']),
    ...(initContainerStatuses.length > 0 ? { initContainerStatuses } : {}),
    ...(containerStatuses.length > 0 ? { containerStatuses } : {}),
  });
};

const volume: Aggregate = (object, items) =>
  withStatus(object, worstPhase(items, ['Failed', 'Pending', 'Available', 'Bound', 'Released']));

/** Lost if the claim is lost in any cluster, else the last phase that is not Bound. */
const volumeClaim: Aggregate = (object, items) => {
  let phase = 'Bound';
  for (const { status } of collected(items)) {
    const claimPhase = textAt(status, 'phase') ?? '';
    if (claimPhase !== 'Bound') phase = claimPhase;
    if (claimPhase === 'Lost') break;
  }
  return withStatus(object, phase ? { phase } : {});
};

const disruptionBudget: Aggregate = (object, items) => {
  const sum = (field: string): number =>
    collected(items).reduce((n, { status }) => n + (numberAt(status, field) ?? 0), 0);
  const disruptedPods: JsonObject = {};
  for (const { cluster, status } of collected(items))
    for (const [name, time] of Object.entries(mapAt(status, 'disruptedPods') ?? {}))
      disruptedPods[`${cluster}/${name}`] = time;
  return withStatus(object, {
    ...(Object.keys(disruptedPods).length > 0 ? { disruptedPods } : {}),
    disruptionsAllowed: sum('disruptionsAllowed'),
    currentHealthy: sum('currentHealthy'),
    desiredHealthy: sum('desiredHealthy'),
    expectedPods: sum('expectedPods'),
  });
};

const autoscaler: Aggregate = (object, items) => {
  const sum = (field: string): number =>
    collected(items).reduce((n, { status }) => n + (numberAt(status, field) ?? 0), 0);
  return withStatus(object, {
    currentReplicas: sum('currentReplicas'),
    desiredReplicas: sum('desiredReplicas'),
    currentMetrics: null,
  });
};

export const aggregateStatus: Readonly<Record<string, Aggregate>> = {
  ...workloads,
  'v1/Service': service,
  'networking.k8s.io/v1/Ingress': loadBalancer,
  'batch/v1/Job': aggregateJob,
  'batch/v1/CronJob': cronJob,
  'v1/Pod': pod,
  'v1/PersistentVolume': volume,
  'v1/PersistentVolumeClaim': volumeClaim,
  'policy/v1/PodDisruptionBudget': disruptionBudget,
  'autoscaling/v2/HorizontalPodAutoscaler': autoscaler,
};
