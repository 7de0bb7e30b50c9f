/** Validates the metrics of an autoscaler, and how fast it may scale: the same for HorizontalPodAutoscalers and FederatedHPAs. */
// as pkg/apis/autoscaling/validation validateMetricSpec, validateBehavior
import { checkDns1123Label, checkPathSegmentName } from '../../../apimachinery/meta/names.js';
import { quantitySign } from '../../../apimachinery/quantity/quantity.js';
import { quantityAt } from '../core/shared/resource-rules.js';
import type { Field } from '../../shared/rules/field.js';
import { positive } from '../../shared/rules/numbers.js';
import { checkContainerResourceName } from '../../shared/rules/resource-names.js';
import type {
  ContainerResourceMetricSource,
  CrossVersionObjectReference,
  ExternalMetricSource,
  HPAScalingPolicy,
  HPAScalingRules,
  HorizontalPodAutoscalerBehavior,
  MetricIdentifier,
  MetricSpec,
  MetricTarget,
  ObjectMetricSource,
  PodsMetricSource,
  ResourceMetricSource,
} from '../../../api/kubernetes/autoscaling.js';

type ReferenceRule = (reference: Field<CrossVersionObjectReference>) => void;

interface Source {
  readonly field: 'object' | 'external' | 'pods' | 'resource' | 'containerResource';
  readonly rule: (metric: Field<MetricSpec>, reference: ReferenceRule) => void;
}

/** Checks kind and name of a reference. */
export function kindAndName(reference: Field<CrossVersionObjectReference>): void {
  for (const part of [reference.at('kind'), reference.at('name')]) {
    if (part.isEmpty) part.required();
    else part.check(checkPathSegmentName);
  }
}

function targetOf(target: Field<MetricTarget>): void {
  const type = target.at('type');
  if (type.isEmpty) type.required('must specify a metric target type');
  if (!['Utilization', 'Value', 'AverageValue'].includes(type.value ?? ''))
    type.invalid('must be either Utilization, Value, or AverageValue', type.value ?? '');
  for (const amount of [target.at('value'), target.at('averageValue')]) {
    const quantity = quantityAt(amount);
    if (quantity && quantitySign(quantity) !== 1) amount.invalid('must be positive');
  }
  const share = target.at('averageUtilization');
  if (share.isSet && (share.value ?? 0) < 1) share.invalid('must be greater than 0');
}

function identifier(metric: Field<MetricIdentifier>): void {
  const name = metric.at('name');
  if (name.isEmpty) name.required('must specify a metric name');
  else name.check(checkPathSegmentName);
}

function shareOrValue(target: Field<MetricTarget>): void {
  targetOf(target);
  const [share, value] = [target.at('averageUtilization'), target.at('averageValue')];
  if (!share.isSet && !value.isSet) share.required('must set either a target raw value or a target utilization');
  if (share.isSet && value.isSet) value.forbidden('may not set both a target raw value and a target utilization');
}

function objectSource(source: Field<ObjectMetricSource>, reference: ReferenceRule): void {
  reference(source.at('describedObject'));
  identifier(source.at('metric'));
  const target = source.at('target');
  targetOf(target);
  if (!target.at('value').isSet && !target.at('averageValue').isSet)
    target.at('averageValue').required('must set either a target value or averageValue');
}

function externalSource(source: Field<ExternalMetricSource>): void {
  identifier(source.at('metric'));
  const target = source.at('target');
  targetOf(target);
  const [value, average] = [target.at('value'), target.at('averageValue')];
  if (!value.isSet && !average.isSet) average.required('must set either a target value for metric or a per-pod target');
  if (value.isSet && average.isSet) value.forbidden('may not set both a target value for metric and a per-pod target');
}

function podsSource(source: Field<PodsMetricSource>): void {
  identifier(source.at('metric'));
  targetOf(source.at('target'));
  const average = source.at('target').at('averageValue');
  if (!average.isSet) average.required('must specify a positive target averageValue');
}

function resourceSource(source: Field<ResourceMetricSource>): void {
  if (source.at('name').isEmpty) source.at('name').required('must specify a resource name');
  shareOrValue(source.at('target'));
}

function containerResourceSource(source: Field<ContainerResourceMetricSource>): void {
  const [name, container] = [source.at('name'), source.at('container')];
  if (name.isEmpty) name.required('must specify a resource name');
  else checkContainerResourceName(name.value ?? '', name);
  if (container.isEmpty) container.required('must specify a container');
  else container.check(checkDns1123Label);
  shareOrValue(source.at('target'));
}

/** Kind of metric -> its field and rule, in the order in which the fields are checked. */
const sources: Readonly<Record<string, Source>> = {
  Object: { field: 'object', rule: (metric, reference) => objectSource(metric.at('object'), reference) },
  External: { field: 'external', rule: metric => externalSource(metric.at('external')) },
  Pods: { field: 'pods', rule: metric => podsSource(metric.at('pods')) },
  Resource: { field: 'resource', rule: metric => resourceSource(metric.at('resource')) },
  ContainerResource: {
    field: 'containerResource',
    rule: metric => containerResourceSource(metric.at('containerResource')),
  },
};

/** `types`: the supported kinds of metrics. `reference`: validates the object that an Object metric describes. */
export function metricRule(types: readonly string[], reference: ReferenceRule): (metric: Field<MetricSpec>) => void {
  const supported = [...types].sort();
  const known = Object.entries(sources).filter(([type]) => types.includes(type));
  return metric => {
    const type = metric.at('type');
    const expected = known.find(([name]) => name === type.value)?.[1].field;
    if (type.isEmpty) type.required('must specify a metric source type');
    if (expected === undefined) type.notSupported(supported);
    const present = known.map(([, source]) => source).filter(({ field }) => metric.at(field).isSet);
    present[0]?.rule(metric, reference);
    if (expected === undefined) type.notSupported(supported);
    else if (!metric.at(expected).isSet)
      metric.at(expected).required('must populate information for the given metric source');
    if (present.length === 1) return;
    for (const field of present.map(source => source.field).sort())
      if (field !== expected) metric.at(field).forbidden('must populate the given metric source only');
  };
}

const maxWindowSeconds = 3600;
const maxPeriodSeconds = 1800;
const selections = ['Disabled', 'Max', 'Min'];
const policyTypes = ['Percent', 'Pods'];

type ScalingRule = (rules: Field<HPAScalingRules>) => void;

/** `more`: an additional rule for each direction. */
export function behaviorRules(behavior: Field<HorizontalPodAutoscalerBehavior>, more?: ScalingRule): void {
  for (const rules of [behavior.at('scaleUp'), behavior.at('scaleDown')]) {
    scalingRules(rules);
    more?.(rules);
  }
}

function scalingRules(rules: Field<HPAScalingRules>): void {
  if (!rules.isSet) return;
  const window = rules.at('stabilizationWindowSeconds');
  if ((window.value ?? 0) < 0) window.invalid('must be greater than or equal to zero');
  if ((window.value ?? 0) > maxWindowSeconds) window.invalid(`must be less than or equal to ${maxWindowSeconds}`);
  const select = rules.at('selectPolicy');
  if (select.isSet && !selections.includes(select.value ?? '')) select.notSupported(selections);
  if (rules.at('policies').isEmpty) rules.at('policies').required('must specify at least one Policy');
  for (const policy of rules.at('policies').items()) policyOf(policy);
}

function policyOf(policy: Field<HPAScalingPolicy>): void {
  const [type, value, period] = [policy.at('type'), policy.at('value'), policy.at('periodSeconds')];
  if (!policyTypes.includes(type.value ?? '')) type.notSupported(policyTypes);
  for (const number of [value, period]) positive(number);
  if ((period.value ?? 0) > maxPeriodSeconds) period.invalid(`must be less than or equal to ${maxPeriodSeconds}`);
}
