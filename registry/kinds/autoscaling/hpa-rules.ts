// as pkg/apis/autoscaling/validation ValidateHorizontalPodAutoscaler*
import { checkDns1123Label, checkPathSegmentName } from '../../../openapi/meta/names.js';
import { quantitySign } from '../../../openapi/meta/quantity.js';
import type { Validate } from '../../interface.js';
import { nonNegativeQuantity, quantityAt } from '../core/resource-rules.js';
import { countsAreNatural } from '../shared/counts.js';
import type { Field } from '../shared/field.js';
import { containerResourceName } from '../shared/resource-names.js';
import { validate } from '../shared/validate.js';
import type {
  CrossVersionObjectReference,
  ExternalMetricSource,
  HPAScalingPolicy,
  HPAScalingRules,
  HorizontalPodAutoscaler,
  MetricIdentifier,
  MetricSpec,
  MetricTarget,
  ObjectMetricSource,
  PodsMetricSource,
  ResourceMetricSource,
  ContainerResourceMetricSource,
} from '../types/autoscaling.js';

interface Options {
  readonly leastReplicas: number;
  /** Why an apiVersion will not do. */
  readonly ofTarget: (apiVersion: string) => string | undefined;
  readonly ofObjects: (apiVersion: string) => string | undefined;
}

/** `needsGroup`: core kinds are not among those meant. */
function versionError(apiVersion: string, needsGroup: boolean): string | undefined {
  const parts = apiVersion.split('/');
  if (parts.length > 2) return `unexpected GroupVersion string: ${apiVersion}`;
  const group = parts.length === 2 ? parts[0] : '';
  return needsGroup && group === '' ? 'apiVersion must specify API group' : undefined;
}

const anyVersion = (): undefined => undefined;
const ofObject = (apiVersion: string): string | undefined => versionError(apiVersion, false);

function optionsFor(
  autoscaler: HorizontalPodAutoscaler | undefined,
  old: HorizontalPodAutoscaler | undefined,
): Options {
  const [target, before] = [autoscaler?.spec?.scaleTargetRef, old?.spec?.scaleTargetRef];
  const isSame = old !== undefined && target?.apiVersion === before?.apiVersion && target?.kind === before?.kind;
  const hadBadObject = old?.spec?.metrics?.some(
    metric => metric.type === 'Object' && metric.object && ofObject(metric.object.describedObject?.apiVersion ?? ''),
  );
  const needsGroup = target?.kind !== 'ReplicationController';
  return {
    leastReplicas: old?.spec?.minReplicas === 0 ? 0 : 1,
    ofTarget: isSame ? anyVersion : apiVersion => versionError(apiVersion, needsGroup),
    ofObjects: hadBadObject ? anyVersion : ofObject,
  };
}

function reference(field: Field<CrossVersionObjectReference>, error: Options['ofTarget']): void {
  for (const part of [field.at('kind'), field.at('name')]) {
    if (part.isEmpty) part.required();
    else part.check(checkPathSegmentName);
  }
  const version = field.at('apiVersion');
  const text = error(version.value ?? '');
  if (text !== undefined) version.invalid(text, version.value ?? '');
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

function objectSource(source: Field<ObjectMetricSource>, options: Options): void {
  reference(source.at('describedObject'), options.ofObjects);
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
  else containerResourceName(name.value ?? '', name);
  if (container.isEmpty) container.required('must specify a container');
  else container.check(checkDns1123Label);
  shareOrValue(source.at('target'));
}

type SourceName = 'object' | 'external' | 'pods' | 'resource' | 'containerResource';

const typeOfSource: Readonly<Record<SourceName, string>> = {
  object: 'Object',
  external: 'External',
  pods: 'Pods',
  resource: 'Resource',
  containerResource: 'ContainerResource',
};
const sourceNames = Object.keys(typeOfSource) as SourceName[];
const sourceTypes = Object.values(typeOfSource).sort();

function firstSource(metric: Field<MetricSpec>, options: Options): void {
  if (metric.value?.object) objectSource(metric.at('object'), options);
  else if (metric.value?.external) externalSource(metric.at('external'));
  else if (metric.value?.pods) podsSource(metric.at('pods'));
  else if (metric.value?.resource) resourceSource(metric.at('resource'));
  else if (metric.value?.containerResource) containerResourceSource(metric.at('containerResource'));
}

function metricOf(metric: Field<MetricSpec>, options: Options): void {
  const type = metric.at('type');
  const expected = sourceNames.find(name => typeOfSource[name] === type.value);
  if (type.isEmpty) type.required('must specify a metric source type');
  if (expected === undefined) type.notSupported(sourceTypes);
  firstSource(metric, options);
  const present = sourceNames.filter(name => metric.at(name).isSet);
  if (expected === undefined) type.notSupported(sourceTypes);
  else if (!metric.at(expected).isSet)
    metric.at(expected).required('must populate information for the given metric source');
  if (present.length === 1) return;
  for (const name of present.sort())
    if (name !== expected) metric.at(name).forbidden('must populate the given metric source only');
}

const longestWindow = 3600;
const longestPeriod = 1800;
const selections = ['Disabled', 'Max', 'Min'];
const policyTypes = ['Percent', 'Pods'];

function scalingRules(rules: Field<HPAScalingRules>): void {
  if (!rules.isSet) return;
  const window = rules.at('stabilizationWindowSeconds');
  if ((window.value ?? 0) < 0) window.invalid('must be greater than or equal to zero');
  if ((window.value ?? 0) > longestWindow) window.invalid(`must be less than or equal to ${longestWindow}`);
  const select = rules.at('selectPolicy');
  if (select.isSet && !selections.includes(select.value ?? '')) select.notSupported(selections);
  if (rules.at('policies').isEmpty) rules.at('policies').required('must specify at least one Policy');
  for (const policy of rules.at('policies').items()) policyOf(policy);
  nonNegativeQuantity(rules.at('tolerance'));
}

function policyOf(policy: Field<HPAScalingPolicy>): void {
  const [type, value, period] = [policy.at('type'), policy.at('value'), policy.at('periodSeconds')];
  if (!policyTypes.includes(type.value ?? '')) type.notSupported(policyTypes);
  for (const number of [value, period])
    if ((number.value ?? 0) <= 0) number.invalid('must be greater than zero', number.value ?? 0);
  if ((period.value ?? 0) > longestPeriod) period.invalid(`must be less than or equal to ${longestPeriod}`);
}

export const autoscalerRules: readonly Validate[] = [
  validate<HorizontalPodAutoscaler>((autoscaler, old) => {
    const spec = autoscaler.at('spec');
    const options = optionsFor(autoscaler.value, old);
    const [least, most] = [spec.at('minReplicas'), spec.at('maxReplicas')];
    const limit = most.value ?? 0;
    if (least.isSet && (least.value ?? 0) < options.leastReplicas)
      least.invalid(`must be greater than or equal to ${options.leastReplicas}`);
    if (limit === 0) most.required('must be set and greater than 0');
    else if (limit < 0) most.invalid('must be greater than or equal to 1');
    if (least.isSet && limit < (least.value ?? 0))
      most.invalid('must be greater than or equal to `minReplicas`', limit);
    reference(spec.at('scaleTargetRef'), options.ofTarget);
    const metrics = spec.at('metrics');
    for (const metric of metrics.items()) metricOf(metric, options);
    const canBeZero = metrics.value?.some(metric => metric.type === 'Object' || metric.type === 'External');
    if (least.value === 0 && !canBeZero)
      metrics.forbidden('must specify at least one Object or External metric to support scaling to zero replicas');
    scalingRules(spec.at('behavior').at('scaleUp'));
    scalingRules(spec.at('behavior').at('scaleDown'));
  }),
];

export const autoscalerStatusRules: readonly Validate[] = [
  validate<HorizontalPodAutoscaler>(autoscaler => {
    countsAreNatural(autoscaler.at('status'), ['currentReplicas', 'desiredReplicas']);
  }),
];
