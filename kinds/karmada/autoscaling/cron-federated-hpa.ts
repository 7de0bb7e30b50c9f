/** Validates CronFederatedHPAs. as pkg/webhook/cronfederatedhpa */
import type { KubeObject } from '../../../apimachinery/interface.js';
import { checkDns1123Subdomain } from '../../../apimachinery/meta/names.js';
import { metadataFaults } from '../../../registry/strategy/metadata.js';
import { nameRuleOf } from '../../../registry/strategy/strategy.js';
import { timeZoneError } from '../../shared/schedule/cron-schedule.js';
import { kindAndName } from '../../kubernetes/autoscaling/metric-rules.js';
import type { Field } from '../../shared/rules/field.js';
import { maxInt32 } from '../../shared/rules/numbers.js';
import type { CrossVersionObjectReference } from '../../../api/kubernetes/autoscaling.js';
import { isCronExpression } from './cron-expression.js';
import { ruleRefusal } from '../refusal.js';
import type { WebhookRule } from '../rules.js';

export interface CronRule {
  name: string;
  schedule: string;
  targetReplicas?: number;
  targetMinReplicas?: number;
  targetMaxReplicas?: number;
  suspend?: boolean;
  timeZone?: string;
  successfulHistoryLimit?: number;
  failedHistoryLimit?: number;
}

export interface CronFederatedHpa extends KubeObject {
  spec: { scaleTargetRef: CrossVersionObjectReference; rules: CronRule[] };
}

/** Checks the replica limits that a rule sets on a FederatedHPA. */
function limits(rule: Field<CronRule>): void {
  const min = rule.at('targetMinReplicas');
  const max = rule.at('targetMaxReplicas');
  const lower = min.value ?? 1;
  const upper = max.value ?? maxInt32;
  if (!min.isSet && !max.isSet)
    max.invalid(
      'targetMinReplicas and targetMaxReplicas cannot be nil at the same time if you want to scale FederatedHPA',
      '',
    );
  if (lower <= 0) min.invalid('targetMinReplicas should be larger than 0', '');
  if (upper <= 0) max.invalid('targetMaxReplicas should be larger than 0', '');
  if (lower > upper) min.invalid('targetMaxReplicas should be larger than or equal to targetMinReplicas', '');
}

function replicas(rule: Field<CronRule>, kind: string): void {
  const target = rule.at('targetReplicas');
  if (!target.isSet) target.invalid(`targetReplicas cannot be nil if you want to scale ${kind}`, '');
  if ((target.value ?? 0) < 0) target.invalid('targetReplicas should be larger than or equal to 0', '');
}

function cronRules(rules: Field<CronRule[]>, scale: (rule: Field<CronRule>) => void): void {
  const seen = new Set<string>();
  for (const rule of rules.items()) {
    const name = rule.at('name');
    if (seen.has(name.value ?? '')) name.duplicate();
    seen.add(name.value ?? '');
    const schedule = rule.at('schedule');
    if (!isCronExpression(schedule.value ?? '')) schedule.invalid('invalid cron format', schedule.value ?? '');
    const zone = rule.at('timeZone');
    const error = timeZoneError(zone.value ?? '');
    if (error !== undefined) zone.invalid(error);
    scale(rule);
  }
}

function cronSpec(spec: Field<CronFederatedHpa['spec']>): void {
  const target = spec.at('scaleTargetRef');
  const { apiVersion, kind = '' } = target.value ?? {};
  const scalesHpa = apiVersion === 'autoscaling.karmada.io/v1alpha1';
  if (scalesHpa && kind !== 'FederatedHPA')
    return target.at('kind').invalid(`invalid scaleTargetRef kind: ${kind}, only support FederatedHPA`, kind);
  kindAndName(target);
  cronRules(spec.at('rules'), scalesHpa ? limits : rule => replicas(rule, kind));
}

/** Refuses invalid CronFederatedHPAs. as pkg/webhook/cronfederatedhpa */
export const validateCronFederatedHpa: WebhookRule<CronFederatedHpa> = object =>
  ruleRefusal<CronFederatedHpa>(object, root => {
    root.add(...metadataFaults(object.metadata, { namespaced: true, nameFaults: nameRuleOf(checkDns1123Subdomain) }));
    cronSpec(root.at('spec'));
  });
