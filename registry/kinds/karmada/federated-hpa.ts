/** FederatedHPA as it is written (inventory ADM-07, ADM-18). The rules are those of HorizontalPodAutoscalers of Kubernetes 1.27. */
import type { KubeObject } from '../../../openapi/interface.js';
import { checkDns1123Subdomain, checkPathSegmentName } from '../../../openapi/meta/names.js';
import { metadataFaults } from '../../strategy/metadata.js';
import { namesOf } from '../../strategy/strategy.js';
import { quantityAt } from '../core/resource-rules.js';
import type { Field } from '../shared/field.js';
import { dnsLabel } from '../shared/name-rules.js';
import { nonNegative, positive } from '../shared/numbers.js';
import { containerResourceName } from '../shared/resource-names.js';
import type {
  CrossVersionObjectReference,
  HorizontalPodAutoscalerBehavior,
  HorizontalPodAutoscalerStatus,
  HPAScalingPolicy,
  HPAScalingRules,
  MetricIdentifier,
  MetricSpec,
  MetricTarget,
} from '../types/autoscaling.js';
import { refusalOf } from './refusal.js';
import type { Judge, Mutate } from './rules.js';
import { scaleTarget } from './scale-target-rules.js';

export interface FederatedHpa extends KubeObject {
  spec: {
    scaleTargetRef: CrossVersionObjectReference;
    minReplicas?: number;
    maxReplicas: number;
    metrics?: MetricSpec[];
    behavior?: HorizontalPodAutoscalerBehavior;
  };
  status?: HorizontalPodAutoscalerStatus;
}

// --- what is left out -------------------------------------------------------------------------------------------

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

export const completeFederatedHpa: Mutate<FederatedHpa> = ({ spec }) => {
  spec.minReplicas ??= 1;
  if (!spec.metrics?.length) spec.metrics = [defaultMetric()];
  const { behavior } = spec;
  if (!behavior) return;
  // differs: upstream drops a tolerance that is set.
  behavior.scaleUp = { ...scaleUp(), ...behavior.scaleUp };
  behavior.scaleDown = { ...scaleDown(), ...behavior.scaleDown };
};

// --- what is wrong ----------------------------------------------------------------------------------------------

const selectPolicies = ['Disabled', 'Max', 'Min'];
const policyTypes = ['Percent', 'Pods'];
const longestPeriod = 1800;
const longestWindow = 3600;

function atMost(field: Field<number>, most: number): void {
  if ((field.value ?? 0) > most) field.invalid(`must be less than or equal to ${most}`);
}

function scalingRules(rules: Field<HPAScalingRules>): void {
  if (!rules.isSet) return;
  const window = rules.at('stabilizationWindowSeconds');
  if ((window.value ?? 0) < 0) window.invalid('must be greater than or equal to zero');
  atMost(window, longestWindow);
  const select = rules.at('selectPolicy');
  if (select.isSet && !selectPolicies.includes(select.value ?? '')) select.notSupported(selectPolicies);
  const policies = rules.at('policies');
  if (policies.isEmpty) policies.required('must specify at least one Policy');
  for (const policy of policies.items()) {
    const type = policy.at('type');
    if (!policyTypes.includes(type.value ?? '')) type.notSupported(policyTypes);
    positive(policy.at('value'));
    positive(policy.at('periodSeconds'));
    atMost(policy.at('periodSeconds'), longestPeriod);
  }
}

function metricTarget(target: Field<MetricTarget>): void {
  const type = target.at('type');
  if (type.isEmpty) type.required('must specify a metric target type');
  if (!['Utilization', 'Value', 'AverageValue'].includes(type.value ?? ''))
    type.invalid('must be either Utilization, Value, or AverageValue', type.value ?? '');
  for (const amount of [target.at('value'), target.at('averageValue')]) {
    const quantity = quantityAt(amount);
    if (quantity && quantity.unscaled <= 0n) amount.invalid('must be positive');
  }
  const utilization = target.at('averageUtilization');
  if (utilization.isSet && (utilization.value ?? 0) < 1) utilization.invalid('must be greater than 0');
}

function metricName(metric: Field<MetricIdentifier>): void {
  const name = metric.at('name');
  if (name.isEmpty) name.required('must specify a metric name');
  else name.check(checkPathSegmentName);
}

/** Of resources: a value or a share of what is requested, and not both. */
function resourceTarget(target: Field<MetricTarget>): void {
  metricTarget(target);
  const utilization = target.at('averageUtilization');
  const value = target.at('averageValue');
  if (!utilization.isSet && !value.isSet)
    utilization.required('must set either a target raw value or a target utilization');
  if (utilization.isSet && value.isSet) value.forbidden('may not set both a target raw value and a target utilization');
}

function resourceName(name: Field<string>): void {
  if (name.isEmpty) name.required('must specify a resource name');
}

/** Kind of metric -> its field and rule. External metrics are not supported. */
const sources = {
  Object: [
    'object',
    (metric: Field<MetricSpec>) => {
      const source = metric.at('object');
      scaleTarget(source.at('describedObject'));
      metricName(source.at('metric'));
      const target = source.at('target');
      metricTarget(target);
      if (!target.at('value').isSet && !target.at('averageValue').isSet)
        target.at('averageValue').required('must set either a target value or averageValue');
    },
  ],
  Pods: [
    'pods',
    (metric: Field<MetricSpec>) => {
      const source = metric.at('pods');
      metricName(source.at('metric'));
      metricTarget(source.at('target'));
      const value = source.at('target').at('averageValue');
      if (!value.isSet) value.required('must specify a positive target averageValue');
    },
  ],
  Resource: [
    'resource',
    (metric: Field<MetricSpec>) => {
      resourceName(metric.at('resource').at('name'));
      resourceTarget(metric.at('resource').at('target'));
    },
  ],
  ContainerResource: [
    'containerResource',
    (metric: Field<MetricSpec>) => {
      const source = metric.at('containerResource');
      const name = source.at('name');
      resourceName(name);
      if (!name.isEmpty) containerResourceName(name.value ?? '', name);
      const container = source.at('container');
      if (container.isEmpty) container.required('must specify a container');
      else dnsLabel(container);
      resourceTarget(source.at('target'));
    },
  ],
} as const satisfies Readonly<Record<string, readonly [keyof MetricSpec, (metric: Field<MetricSpec>) => void]>>;

const metricTypes = Object.keys(sources).sort();

function metric(spec: Field<MetricSpec>): void {
  const type = spec.at('type');
  const unsupported = (): void => type.notSupported(metricTypes);
  if (type.isEmpty) type.required('must specify a metric source type');
  const known = Object.entries(sources).find(([name]) => name === type.value)?.[1];
  if (!known) unsupported();
  const present = Object.values(sources).filter(([field]) => spec.at(field).isSet);
  present[0]?.[1](spec);
  if (!known) unsupported();
  else if (!spec.at(known[0]).isSet)
    spec.at(known[0]).required('must populate information for the given metric source');
  if (present.length === 1) return;
  for (const [field] of present)
    if (field !== known?.[0]) spec.at(field).forbidden('must populate the given metric source only');
}

function hpaSpec(spec: Field<FederatedHpa['spec']>): void {
  const min = spec.at('minReplicas');
  const max = spec.at('maxReplicas');
  if (min.isSet && (min.value ?? 0) < 1) min.invalid('must be greater than or equal to 1');
  if ((max.value ?? 0) < 1) max.invalid('must be greater than 0', max.value ?? 0);
  if (min.isSet && (max.value ?? 0) < (min.value ?? 0))
    max.invalid('must be greater than or equal to `minReplicas`', max.value ?? 0);
  scaleTarget(spec.at('scaleTargetRef'));
  for (const each of spec.at('metrics').items()) metric(each);
  scalingRules(spec.at('behavior').at('scaleUp'));
  scalingRules(spec.at('behavior').at('scaleDown'));
}

// as pkg/util/lifted ValidateFederatedHPA
export const judgeFederatedHpa: Judge<FederatedHpa> = object =>
  refusalOf<FederatedHpa>(object, root => {
    root.add(...metadataFaults(object.metadata, { namespaced: true, nameFaults: namesOf(checkDns1123Subdomain) }));
    hpaSpec(root.at('spec'));
    nonNegative(root.at('status').at('currentReplicas'));
    nonNegative(root.at('status').at('desiredReplicas'));
  });
