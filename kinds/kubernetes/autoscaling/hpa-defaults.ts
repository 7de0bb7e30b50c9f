/** Fills in the defaults of autoscalers. */
// as pkg/apis/autoscaling/v1 and v2 SetDefaults_HorizontalPodAutoscaler
import type { HPAScalingRules, HorizontalPodAutoscaler } from '../../../api/kubernetes/autoscaling.js';

const defaultUtilization = 80;

/** The annotations in which v1 has what it has no fields for; nothing else may use them. */
export const carriers = {
  metrics: 'autoscaling.alpha.kubernetes.io/metrics',
  currentMetrics: 'autoscaling.alpha.kubernetes.io/current-metrics',
  conditions: 'autoscaling.alpha.kubernetes.io/conditions',
  behavior: 'autoscaling.alpha.kubernetes.io/behavior',
  scaleDownTolerance: 'autoscaling.alpha.kubernetes.io/scale-down-tolerance',
  scaleUpTolerance: 'autoscaling.alpha.kubernetes.io/scale-up-tolerance',
} as const;

/** Removes the carriers from the annotations, and the annotations if none are left. */
export function dropCarriers({ metadata }: HorizontalPodAutoscaler): void {
  const { annotations } = metadata;
  if (!annotations) return;
  for (const name of Object.values(carriers)) delete annotations[name];
  if (Object.keys(annotations).length === 0) delete metadata.annotations;
}

const scaleUp = (): HPAScalingRules => ({
  stabilizationWindowSeconds: 0,
  selectPolicy: 'Max',
  policies: [
    { type: 'Pods', value: 4, periodSeconds: 15 },
    { type: 'Percent', value: 100, periodSeconds: 15 },
  ],
});
const scaleDown = (): HPAScalingRules => ({
  selectPolicy: 'Max',
  policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }],
});

/** Sets the defaults of the version of the API. In v1 only the replicas have one. */
export function fillAutoscaler(autoscaler: HorizontalPodAutoscaler, version: string): void {
  const spec = (autoscaler.spec ??= {});
  spec.minReplicas ??= 1;
  if (version === 'v1') return;
  dropCarriers(autoscaler);
  if (!spec.metrics?.length)
    spec.metrics = [
      {
        type: 'Resource',
        resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: defaultUtilization } },
      },
    ];
  const { behavior } = spec;
  if (!behavior) return;
  behavior.scaleUp = { ...scaleUp(), ...behavior.scaleUp };
  behavior.scaleDown = { ...scaleDown(), ...behavior.scaleDown };
}
