import type { JsonObject, KubeObject } from '../../../../apimachinery/interface.js';
import { ExpectedError } from '../../../../lib/logging/cause.js';
import type { AggregatedStatusItem } from '../../../../api/karmada/types.js';
import { aggregateFields, type FieldRule, last, reportedValues } from '../aggregate.js';
import { hasTrueCondition, mergedConditions } from '../conditions.js';
import { healthyIf } from '../health.js';
import type { KindInterpreter, KindTable } from '../kind.js';
import { fieldAt, fieldIfAny, numberOf } from '../read.js';
import { reflectFields } from '../reflect.js';

/** Returns the sums of the numbers of rules, per sort of rule. */
const ruleCounts: FieldRule = (reports, field) => {
  const reported = reportedValues(reports, field);
  const counts: JsonObject = {};
  for (const sort of ['validate', 'generate', 'mutate', 'verifyimages'])
    counts[sort] = reported.reduce<number>(
      (total, value) => total + numberOf(fieldAt(value, sort), `status.${field}.${sort}`),
      0,
    );
  return counts;
};

const aggregate = aggregateFields({
  autogen: last(),
  ready: last(),
  rulecount: ruleCounts,
  conditions: mergedConditions,
});

/** Replaces the whole status of the template. */
function aggregateStatus(object: KubeObject, items: readonly AggregatedStatusItem[]): KubeObject {
  const { status: _status, ...template } = object;
  return aggregate(template, items);
}

/** Reports whether a policy is ready. The condition counts only if there is no `status.ready`. */
function isReady(object: KubeObject): boolean {
  const ready = fieldIfAny(object, 'status', 'ready');
  if (ready === undefined) return hasTrueCondition(object, 'Ready', ['Succeeded']);
  if (typeof ready !== 'boolean') throw new ExpectedError('status.ready is no boolean');
  return ready;
}

const policy: KindInterpreter = {
  aggregateStatus,
  reflectStatus: reflectFields(['ready', 'conditions', 'autogen', 'rulecount']),
  health: healthyIf(isReady),
};

/** The policies of Kyverno. as pkg/resourceinterpreter/default/thirdparty/resourcecustomizations/kyverno.io */
export const kyverno: KindTable = {
  'kyverno.io/v1/ClusterPolicy': policy,
  'kyverno.io/v1/Policy': policy,
};
