/** autoscaling/v1 has one metric, CPU utilization; the other metrics, and all other parts of version 2, are in annotations. */
// as pkg/apis/autoscaling/v1 Convert_autoscaling_HorizontalPodAutoscaler_To_v1_HorizontalPodAutoscaler and back
import type { KubeObject } from '../../../apimachinery/interface.js';
import { goJson } from '../../../lib/go/go-text.js';
import { fromInternal, internalForm } from '../../shared/go-text/internal-json.js';
import type * as v1 from '../../../api/kubernetes/autoscaling-v1.js';
import type {
  HorizontalPodAutoscaler,
  HorizontalPodAutoscalerBehavior,
  HorizontalPodAutoscalerCondition,
  MetricSpec,
} from '../../../api/kubernetes/autoscaling.js';
import { carriers, dropCarriers } from './hpa-defaults.js';
import { metricOf, metricStatusOf, oldMetric, oldMetricStatus } from './hpa-metrics.js';

type Fields = Readonly<Record<string, unknown>>;

const cpuUtilization = ({ type, resource }: MetricSpec): number | undefined =>
  type === 'Resource' && resource?.name === 'cpu' ? resource.target?.averageUtilization : undefined;

function toOld(autoscaler: HorizontalPodAutoscaler): v1.HorizontalPodAutoscaler {
  const { metadata, spec = {}, status = {} } = autoscaler;
  const copy = { ...autoscaler, metadata: { ...metadata, annotations: { ...metadata.annotations } } };
  dropCarriers(copy);
  const carry = (name: keyof typeof carriers, value: unknown): void => {
    ((copy.metadata.annotations as Record<string, string> | undefined) ?? (copy.metadata.annotations = {}))[
      carriers[name]
    ] = goJson(value);
  };
  const metrics = spec.metrics ?? [];
  const others = metrics.filter(metric => cpuUtilization(metric) === undefined);
  if (others.length > 0) carry('metrics', others.map(oldMetric));
  if (status.currentMetrics?.length) carry('currentMetrics', status.currentMetrics.map(oldMetricStatus));
  if (spec.behavior) carry('behavior', internalForm('HorizontalPodAutoscalerBehavior', spec.behavior));
  if (status.conditions?.length) carry('conditions', status.conditions.map(condition));
  return {
    apiVersion: 'autoscaling/v1',
    kind: 'HorizontalPodAutoscaler',
    metadata: copy.metadata,
    spec: oldSpec(
      spec,
      metrics.map(cpuUtilization).find(share => share !== undefined),
    ),
    status: oldStatus(status),
  };
}

function oldSpec(
  { scaleTargetRef, minReplicas, maxReplicas }: NonNullable<HorizontalPodAutoscaler['spec']>,
  targetCPUUtilizationPercentage: number | undefined,
): v1.HorizontalPodAutoscalerSpec {
  return {
    ...(scaleTargetRef && { scaleTargetRef }),
    ...(minReplicas !== undefined && { minReplicas }),
    ...(maxReplicas !== undefined && { maxReplicas }),
    ...(targetCPUUtilizationPercentage !== undefined && { targetCPUUtilizationPercentage }),
  };
}

function oldStatus(status: NonNullable<HorizontalPodAutoscaler['status']>): v1.HorizontalPodAutoscalerStatus {
  const { currentMetrics, conditions: _, ...rest } = status;
  const shares = (currentMetrics ?? []).map(({ type, resource }) =>
    type === 'Resource' && resource?.name === 'cpu' ? resource.current?.averageUtilization : undefined,
  );
  const share = shares.findLast(value => value !== undefined);
  return { ...rest, ...(share !== undefined && { currentCPUUtilizationPercentage: share }) };
}

/** In the order of the declaration. */
function condition(c: HorizontalPodAutoscalerCondition): Fields {
  const { type = '', status = '', lastTransitionTime = null, reason, message } = c;
  return { type, status, lastTransitionTime, ...(reason && { reason }), ...(message && { message }) };
}

/** Returns the content of an annotation; undefined if it cannot be read. */
function read<T>(autoscaler: v1.HorizontalPodAutoscaler, name: keyof typeof carriers): T | undefined {
  const text = autoscaler.metadata.annotations?.[carriers[name]];
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as T;
  } catch {
    return undefined;
  }
}

const utilization = (averageUtilization: number): MetricSpec => ({
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } },
});

function fromOld(autoscaler: v1.HorizontalPodAutoscaler): HorizontalPodAutoscaler {
  const { targetCPUUtilizationPercentage: target, ...spec } = autoscaler.spec ?? {};
  const { currentCPUUtilizationPercentage: current, ...status } = autoscaler.status ?? {};
  const result: HorizontalPodAutoscaler = {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: {
      ...autoscaler.metadata,
      ...(autoscaler.metadata.annotations && { annotations: { ...autoscaler.metadata.annotations } }),
    },
    spec: { ...spec },
    status: { ...status },
  };
  const others = (read<Fields[]>(autoscaler, 'metrics') ?? []).map(metricOf);
  const metrics = [...others, ...(target === undefined ? [] : [utilization(target)])];
  if (metrics.length > 0) (result.spec ??= {}).metrics = metrics;
  const behavior = read<Fields>(autoscaler, 'behavior');
  if (behavior && Object.keys(behavior).length > 0)
    (result.spec ??= {}).behavior = fromInternal(
      'HorizontalPodAutoscalerBehavior',
      behavior,
    ) as HorizontalPodAutoscalerBehavior;
  const seen = read<Fields[]>(autoscaler, 'currentMetrics')?.map(metricStatusOf);
  const ofCpu =
    current === undefined
      ? []
      : [metricStatusOf({ type: 'Resource', resource: { name: 'cpu', currentAverageUtilization: current } })];
  if (seen ?? ofCpu.length > 0) (result.status ??= {}).currentMetrics = seen ?? ofCpu;
  const conditions = read<HorizontalPodAutoscalerCondition[]>(autoscaler, 'conditions');
  if (conditions) (result.status ??= {}).conditions = conditions;
  dropCarriers(result);
  return result;
}

/** Converts an autoscaler from v1 to v2 or back; one that has the version already is returned as it is. */
export function convertAutoscaler(object: KubeObject, toVersion: string): KubeObject {
  if (object.apiVersion === `autoscaling/${toVersion}`) return object;
  return toVersion === 'v1' ? toOld(object) : fromOld(object);
}
