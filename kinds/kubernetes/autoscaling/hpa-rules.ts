// as pkg/apis/autoscaling/validation ValidateHorizontalPodAutoscaler*
import type { Validate } from '../../../registry/interface.js';
import { nonNegativeQuantity } from '../core/shared/resource-rules.js';
import { countsAreNatural } from '../../shared/rules/counts.js';
import type { Field } from '../../shared/rules/field.js';
import { validate } from '../../shared/rules/validate.js';
import type { CrossVersionObjectReference, HorizontalPodAutoscaler } from '../../../api/kubernetes/autoscaling.js';
import { behaviorRules, kindAndName, metricRule } from './metric-rules.js';

const metricTypes = ['Object', 'Pods', 'Resource', 'External', 'ContainerResource'];

interface Options {
  /** Minimum of `minReplicas`. */
  readonly minAllowed: number;
  /** Returns why an apiVersion is not accepted. */
  readonly ofTarget: (apiVersion: string) => string | undefined;
  readonly ofObjects: (apiVersion: string) => string | undefined;
}

/** `needsGroup`: core kinds are not accepted. */
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
    minAllowed: old?.spec?.minReplicas === 0 ? 0 : 1,
    ofTarget: isSame ? anyVersion : apiVersion => versionError(apiVersion, needsGroup),
    ofObjects: hadBadObject ? anyVersion : ofObject,
  };
}

function reference(field: Field<CrossVersionObjectReference>, error: Options['ofTarget']): void {
  kindAndName(field);
  const version = field.at('apiVersion');
  const text = error(version.value ?? '');
  if (text !== undefined) version.invalid(text, version.value ?? '');
}

export const autoscalerRules: readonly Validate[] = [
  validate<HorizontalPodAutoscaler>((autoscaler, old) => {
    const spec = autoscaler.at('spec');
    const options = optionsFor(autoscaler.value, old);
    const [min, max] = [spec.at('minReplicas'), spec.at('maxReplicas')];
    const limit = max.value ?? 0;
    if (min.isSet && (min.value ?? 0) < options.minAllowed)
      min.invalid(`must be greater than or equal to ${options.minAllowed}`);
    if (limit === 0) max.required('must be set and greater than 0');
    else if (limit < 0) max.invalid('must be greater than or equal to 1');
    if (min.isSet && limit < (min.value ?? 0)) max.invalid('must be greater than or equal to `minReplicas`', limit);
    reference(spec.at('scaleTargetRef'), options.ofTarget);
    const metrics = spec.at('metrics');
    const metricOf = metricRule(metricTypes, described => reference(described, options.ofObjects));
    for (const metric of metrics.items()) metricOf(metric);
    const canBeZero = metrics.value?.some(metric => metric.type === 'Object' || metric.type === 'External');
    if (min.value === 0 && !canBeZero)
      metrics.forbidden('must specify at least one Object or External metric to support scaling to zero replicas');
    behaviorRules(spec.at('behavior'), rules => nonNegativeQuantity(rules.at('tolerance')));
  }),
];

export const autoscalerStatusRules: readonly Validate[] = [
  validate<HorizontalPodAutoscaler>(autoscaler => {
    countsAreNatural(autoscaler.at('status'), ['currentReplicas', 'desiredReplicas']);
  }),
];
