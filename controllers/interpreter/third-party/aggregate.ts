import type { JsonObject, KubeObject } from '../../../apimachinery/interface.js';
import type { AggregatedStatusItem } from '../../../api/karmada/types.js';
import { fieldAt, fieldIfAny, itemsOf, mapOf, numberOf } from './read.js';
import { withoutEmpty } from './without-empty.js';

interface StatusReports {
  /** One per cluster, including those without a status. */
  readonly items: readonly AggregatedStatusItem[];
  /** The generation of the template; 0 if it has none. */
  readonly generation: unknown;
}

/** Returns the value of a field of the aggregated status, or undefined to leave it out. `before` is its value in the template. */
export type FieldRule = (reports: StatusReports, field: string, before: unknown) => unknown;

/** Returns the values of a status field in the clusters that report one. */
export const reportedValues = ({ items }: StatusReports, ...path: readonly string[]): unknown[] =>
  items.map(({ status }) => fieldIfAny(status, ...path)).filter(value => value !== undefined);

/** Returns the sum of a number in all clusters. */
export const sum = (reports: StatusReports, field: string): number =>
  reportedValues(reports, field).reduce<number>((total, value) => total + numberOf(value, `status.${field}`), 0);

/** Returns a rule for the value in the last cluster that reports one, else `otherwise`. */
export const last =
  (otherwise?: unknown): FieldRule =>
  (reports, field) =>
    reportedValues(reports, field).at(-1) ?? otherwise;

/** As `last`, but empty strings do not count. */
export const lastNonEmpty =
  (otherwise: unknown): FieldRule =>
  (reports, field) =>
    reportedValues(reports, field).findLast(value => value !== '') ?? otherwise;

/** Returns the value in the last cluster that reports one, else that of the template. */
export const lastOrBefore: FieldRule = (reports, field, before) => last(before)(reports, field, before);

/** As `lastOrBefore`, but empty strings do not count. */
export const lastNonEmptyOrBefore: FieldRule = (reports, field, before) => lastNonEmpty(before)(reports, field, before);

/** Returns whether a member has observed the current generation of the template. */
function isCurrent(status: unknown, generation: unknown): boolean {
  const count = (field: string): unknown => fieldIfAny(status, field) ?? 0;
  return count('resourceTemplateGeneration') === generation && count('generation') === count('observedGeneration');
}

/** Returns the template's generation once every cluster has observed it. Until then the value stays as it is. */
const observedGeneration: FieldRule = ({ items, generation }, _field, before) =>
  items.every(({ status }) => isCurrent(status, generation)) ? generation : (before ?? 0);

/** As `observedGeneration`, but a cluster without a status has not observed anything, even if the template has no generation. */
export const reportedGeneration: FieldRule = (reports, field, before) =>
  reports.items.every(({ status }) => status !== undefined)
    ? observedGeneration(reports, field, before)
    : (before ?? 0);

/** Returns the template's status; empty if it has none. Throws if the status is no object. */
export const statusBefore = (object: KubeObject): JsonObject => mapOf(fieldAt(object, 'status') ?? {}, 'status');

/** Returns an aggregation in which each field follows a rule. Other fields of the template's status stay as they are. */
export const aggregateFields =
  (rules: Readonly<Record<string, FieldRule>>) =>
  (object: KubeObject, items: readonly AggregatedStatusItem[]): KubeObject => {
    const before = statusBefore(object);
    const generation = fieldAt(object, 'metadata', 'generation') ?? 0;
    const status: JsonObject = { ...before };
    for (const [field, rule] of Object.entries(rules))
      status[field] = rule({ items, generation }, field, fieldAt(before, field));
    return withoutEmpty({ ...object, status });
  };

/** As `aggregateFields`, for a kind with a generation, which a template without one gets as 0. */
export const aggregateGenerations = (
  rules: Readonly<Record<string, FieldRule>>,
  generationRule: FieldRule = observedGeneration,
): ReturnType<typeof aggregateFields> => {
  const aggregate = aggregateFields({ ...rules, observedGeneration: generationRule });
  return (object, items) => {
    const generation = fieldAt(object, 'metadata', 'generation') ?? 0;
    return aggregate({ ...object, metadata: { ...object.metadata, generation: generation as number } }, items);
  };
};

/** Returns the conditions that clusters report, with the clusters that report them. */
export const reportedConditions = ({ items }: StatusReports): { cluster: string; condition: unknown }[] =>
  items.flatMap(({ clusterName: cluster, status }) =>
    itemsOf(fieldIfAny(status, 'conditions') ?? [], 'status.conditions').map(condition => ({ cluster, condition })),
  );
