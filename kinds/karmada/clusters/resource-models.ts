/** Resource models are grades of nodes; a cluster counts its allocatable resources by grade. */
import { compareQuantities, parseQuantity } from '../../../apimachinery/quantity/quantity.js';
import type { Field } from '../../shared/rules/field.js';
import type { ResourceModel } from '../../../api/karmada/types.js';

/** The upper bound of the last grade: no limit. */
const unbounded = '9223372036854775807';

/** The lower bounds of the default grades, for a cluster that has none; each grade ends where the next begins. */
const cpu = ['0', '1', '2', '4', '8', '16', '32', '64', '128', unbounded];
const memory = ['0', '4Gi', '16Gi', '32Gi', '64Gi', '128Gi', '256Gi', '512Gi', '1Ti', unbounded];

/** Returns the default grades, with ranges of CPU and memory. */
export function defaultResourceModels(): ResourceModel[] {
  const range = (name: string, bounds: readonly string[], grade: number): ResourceModel['ranges'][number] => ({
    name,
    min: bounds[grade] ?? '0',
    max: bounds[grade + 1] ?? unbounded,
  });
  return cpu
    .slice(1)
    .map((_, grade) => ({ grade, ranges: [range('cpu', cpu, grade), range('memory', memory, grade)] }));
}

/** Sorts the grades; the first begins at zero and the last has no upper limit. */
export function standardizeResourceModels(models: ResourceModel[]): void {
  models.sort((a, b) => a.grade - b.grade);
  for (const range of models[0]?.ranges ?? []) range.min = '0';
  for (const range of models.at(-1)?.ranges ?? []) range.max = unbounded;
}

const compare = (a: string, b: string): number => compareQuantities(parseQuantity(a), parseQuantity(b));

/** Returns what is wrong with a grade, given the previous one. */
function gradeError(model: ResourceModel, before: ResourceModel | undefined, isLast: boolean): string | undefined {
  if (before && model.grade === before.grade) return 'The grade of each models should not be the same';
  const ranges = model.ranges ?? [];
  const previous = before?.ranges ?? [];
  if (before && ranges.length !== previous.length) return 'The number of resource types should be the same';
  for (const [i, { name, min, max }] of ranges.entries()) {
    if (compare(max, min) <= 0) return 'The max value of each resource must be greater than the min value';
    const lower = previous[i];
    if (!before) {
      if (compare(min, '0') !== 0) return 'The min value of each resource in the first model should be 0';
    } else if (lower?.name !== name) return 'The resource types of each models should be the same';
    // differs: upstream compares the written forms, so that 1000m would not continue 1.
    else if (compare(lower.max, min) !== 0)
      return 'Model intervals for resources must be contiguous and non-overlapping';
    if (isLast && compare(max, unbounded) !== 0)
      return 'The max value of each resource in the last model should be MaxInt64';
  }
  return undefined;
}

/** Reports the first error. as pkg/apis/cluster/validation ValidateClusterResourceModels */
export function resourceModels(models: Field<ResourceModel[]>): void {
  const all = models.value ?? [];
  for (const [i, model] of all.entries()) {
    const text = gradeError(model, all[i - 1], i === all.length - 1);
    if (text !== undefined) return models.invalid(text);
  }
}
