/** Validates labels and LabelSelector objects. as apimachinery/pkg/apis/meta/v1/validation */
import type { Fault } from '../interface.js';
import { append } from '../../lib/collections/append.js';
import {
  child,
  forbiddenField,
  index,
  invalidValue,
  fieldPathText,
  type FieldPath,
  required,
} from '../errors/faults.js';
import type { Labels } from './label-requirement.js';
import type { LabelExpression, LabelSelector } from './label-selectors.js';
import { checkLabelKey, checkLabelValue } from '../meta/names.js';
import { isEnough } from '../errors/limits.js';

/** Returns the faults of labels, in the order of the keys. as meta/v1/validation ValidateLabels */
export function labelFaults(labels: Labels | undefined, field: FieldPath): Fault[] {
  const faults: Fault[] = [];
  for (const key in labels) {
    if (isEnough(faults)) break;
    const value = labels[key] ?? '';
    for (const text of checkLabelKey(key)) faults.push(invalidValue(fieldPathText(field), key, text));
    for (const text of checkLabelValue(value)) faults.push(invalidValue(fieldPathText(field), value, text));
  }
  return faults;
}

/** Returns the faults of a requirement of a LabelSelector. as meta/v1/validation ValidateLabelSelectorRequirement */
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

/**
 * The path of a field below another. hot: it is a class, since a getter in an object literal keeps the variables that it uses alive until
 * the next full collection: V8 allocates its accessor pair in the old generation.
 */
class ChildPath {
  readonly #parent: FieldPath;
  readonly #name: string;

  constructor(parent: FieldPath, name: string) {
    this.#parent = parent;
    this.#name = name;
  }

  get path(): string {
    return child(fieldPathText(this.#parent), this.#name);
  }
}

/** Returns the faults of a LabelSelector; none if it is not set. as meta/v1/validation ValidateLabelSelector */
export function labelSelectorFaults(
  selector: LabelSelector | null | undefined,
  field: FieldPath,
  options: { readonly allowInvalidValues?: boolean } = {},
): Fault[] {
  if (selector == null) return [];
  const faults = labelFaults(selector.matchLabels, new ChildPath(field, 'matchLabels'));
  for (const [i, e] of (selector.matchExpressions ?? []).entries()) {
    if (isEnough(faults)) break;
    append(faults, labelExpressionFaults(e, index(child(fieldPathText(field), 'matchExpressions'), i), options));
  }
  return faults;
}
