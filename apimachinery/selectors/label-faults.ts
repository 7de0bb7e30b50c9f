/** What is wrong with labels and LabelSelector objects. as apimachinery/pkg/apis/meta/v1/validation */
import type { Fault } from '../interface.js';
import { append } from '../../lib/collections/append.js';
import { child, forbiddenField, index, invalidValue, pathOf, type FieldPath, required } from '../errors/faults.js';
import type { Labels } from './label-requirement.js';
import type { LabelExpression, LabelSelector } from './label-selectors.js';
import { checkLabelKey, checkLabelValue } from '../meta/names.js';
import { isEnough } from '../errors/limits.js';

/** as meta/v1/validation ValidateLabels; keys in order. */
export function labelFaults(labels: Labels | undefined, place: FieldPath): Fault[] {
  const faults: Fault[] = [];
  for (const key in labels) {
    if (isEnough(faults)) break;
    const value = labels[key] ?? '';
    for (const text of checkLabelKey(key)) faults.push(invalidValue(pathOf(place), key, text));
    for (const text of checkLabelValue(value)) faults.push(invalidValue(pathOf(place), value, text));
  }
  return faults;
}

/** as meta/v1/validation ValidateLabelSelectorRequirement */
export function labelExpressionFaults(
  e: LabelExpression,
  path: string,
  options: { readonly allowInvalidValues?: boolean } = {},
): Fault[] {
  const faults: Fault[] = [];
  const values = e.values ?? [];
  if (e.operator === 'In' || e.operator === 'NotIn') {
    if (values.length === 0)
      faults.push(required(child(path, 'values'), "must be specified when `operator` is 'In' or 'NotIn'"));
  } else if (e.operator === 'Exists' || e.operator === 'DoesNotExist') {
    const text = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
    if (values.length > 0) faults.push(forbiddenField(child(path, 'values'), text));
  } else faults.push(invalidValue(child(path, 'operator'), e.operator, 'not a valid selector operator'));
  faults.push(...checkLabelKey(e.key).map(text => invalidValue(child(path, 'key'), e.key, text)));
  if (options.allowInvalidValues) return faults;
  for (const [i, value] of values.entries()) {
    if (isEnough(faults)) break;
    for (const text of checkLabelValue(value)) faults.push(invalidValue(index(child(path, 'values'), i), value, text));
  }
  return faults;
}

/** hot. A class, since a getter that stands in a literal keeps what it knows alive until the next full collection: V8 allots its pair of accessors as old. */
class Below {
  readonly #above: FieldPath;
  readonly #name: string;

  constructor(above: FieldPath, name: string) {
    this.#above = above;
    this.#name = name;
  }

  get path(): string {
    return child(pathOf(this.#above), this.#name);
  }
}

/** as meta/v1/validation ValidateLabelSelector */
export function labelSelectorFaults(
  selector: LabelSelector | null | undefined,
  place: FieldPath,
  options: { readonly allowInvalidValues?: boolean } = {},
): Fault[] {
  if (selector == null) return [];
  const faults = labelFaults(selector.matchLabels, new Below(place, 'matchLabels'));
  for (const [i, e] of (selector.matchExpressions ?? []).entries()) {
    if (isEnough(faults)) break;
    append(faults, labelExpressionFaults(e, index(child(pathOf(place), 'matchExpressions'), i), options));
  }
  return faults;
}
