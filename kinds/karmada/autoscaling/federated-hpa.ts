/** Fills in defaults of FederatedHPAs and validates them. The rules are those of HorizontalPodAutoscalers in Kubernetes 1.27. */
import type { KubeObject } from '../../../apimachinery/interface.js';
import { checkDns1123Subdomain } from '../../../apimachinery/meta/names.js';
import { metadataFaults } from '../../../registry/strategy/metadata.js';
import { nameRuleOf } from '../../../registry/strategy/strategy.js';
import { behaviorRules, kindAndName, metricRule } from '../../kubernetes/autoscaling/metric-rules.js';
import type { Field } from '../../shared/rules/field.js';
import { nonNegative } from '../../shared/rules/numbers.js';
import type {
  CrossVersionObjectReference,
  HorizontalPodAutoscalerBehavior,
  HorizontalPodAutoscalerStatus,
  HPAScalingPolicy,
  HPAScalingRules,
  MetricSpec,
} from '../../../api/kubernetes/autoscaling.js';
import { ruleRefusal } from '../refusal.js';
import type { Mutate, WebhookRule } from '../rules.js';

interface FederatedHpa extends KubeObject {
  spec: {
    scaleTargetRef: CrossVersionObjectReference;
    minReplicas?: number;
    maxReplicas: number;
    metrics?: MetricSpec[];
    behavior?: HorizontalPodAutoscalerBehavior;
  };
  status?: HorizontalPodAutoscalerStatus;
}

// --- defaults ---------------------------------------------------------------------------------------------------

const defaultMetric = (): MetricSpec => ({
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } },
});

const percent: HPAScalingPolicy = { type: 'Percent', value: 100, periodSeconds: 15 };
const scaleUp = (): HPAScalingRules => ({
  stabilizationWindowSeconds: 0,
  selectPolicy: 'Max',
  policies: [{ type: 'Pods', value: 4, periodSeconds: 15 }, { ...percent }],
});
const scaleDown = (): HPAScalingRules => ({ selectPolicy: 'Max', policies: [{ ...percent }] });

/**
 * Sets the defaults of the webhook: a metric and the behaviour of the HorizontalPodAutoscaler.
 */
export const completeFederatedHpa: Mutate<FederatedHpa> = ({ spec }) => {
  spec.minReplicas ??= 1;
  if (!spec.metrics?.length) spec.metrics = [defaultMetric()];
  const { behavior } = spec;
  if (!behavior) return;
  // differs: upstream drops a tolerance that is set.
  behavior.scaleUp = { ...scaleUp(), ...behavior.scaleUp };
  behavior.scaleDown = { ...scaleDown(), ...behavior.scaleDown };
};

// --- validation -------------------------------------------------------------------------------------------------

/** External metrics are not supported. */
const metric = metricRule(['Object', 'Pods', 'Resource', 'ContainerResource'], kindAndName);

function hpaSpec(spec: Field<FederatedHpa['spec']>): void {
  const min = spec.at('minReplicas');
  const max = spec.at('maxReplicas');
  if (min.isSet && (min.value ?? 0) < 1) min.invalid('must be greater than or equal to 1');
  if ((max.value ?? 0) < 1) max.invalid('must be greater than 0', max.value ?? 0);
  if (min.isSet && (max.value ?? 0) < (min.value ?? 0))
    max.invalid('must be greater than or equal to `minReplicas`', max.value ?? 0);
  kindAndName(spec.at('scaleTargetRef'));
  for (const each of spec.at('metrics').items()) metric(each);
  behaviorRules(spec.at('behavior'));
}

/** Refuses what a HorizontalPodAutoscaler may not have either. as pkg/util/lifted ValidateFederatedHPA */
export const validateFederatedHpa: WebhookRule<FederatedHpa> = object =>
  ruleRefusal<FederatedHpa>(object, root => {
    root.add(...metadataFaults(object.metadata, { namespaced: true, nameFaults: nameRuleOf(checkDns1123Subdomain) }));
    hpaSpec(root.at('spec'));
    nonNegative(root.at('status').at('currentReplicas'));
    nonNegative(root.at('status').at('desiredReplicas'));
  });
