/** Validates how much of a device's capacity can be requested. as pkg/apis/resource/validation validateRequestPolicy */
import {
  type Quantity,
  addQuantities,
  canonicalQuantity,
  compareQuantities,
  parseQuantity,
  quantityValue,
} from '../../../apimachinery/quantity/quantity.js';
import type { Field } from '../../shared/rules/field.js';
import type {
  CapacityRequestPolicy,
  CapacityRequestPolicyRange,
  DeviceCapacity,
} from '../../../api/kubernetes/resource.js';
import { setOf } from './lists.js';

const maxValues = 10;

const parse = (text: string | number | undefined): Quantity => parseQuantity(text ?? '0');
const compare = (a: string, b: string): number => compareQuantities(parse(a), parse(b));
const canonical = (text: string): string => canonicalQuantity(text);

interface Bounds {
  readonly capacity: string;
  readonly defaultValue: string;
}

function validateValues(list: Field<string[]>, { capacity, defaultValue }: Bounds): void {
  const all = list.items();
  for (const [i, value] of all.entries()) {
    const before = all[i - 1];
    if (before && compare(before.value ?? '0', value.value ?? '0') > 0)
      value.invalid('values must be sorted in ascending order', canonical(value.value ?? '0'));
  }
  const keyOf = (value: string): string => String(quantityValue(parse(value)));
  setOf(list, maxValues, keyOf, value => {
    const text = value.value ?? '0';
    if (compare(text, capacity) > 0)
      value.invalid(`option is larger than capacity value: ${canonical(capacity)}`, canonical(text));
  });
  if (!all.some(value => compare(value.value ?? '0', defaultValue) === 0))
    list.invalid('default value is not valid according to the requestPolicy', canonical(defaultValue));
}

function validateMultiple(field: Field<unknown>, value: string, min: string, step: string): void {
  const [amount, first, interval] = [value, min, step].map(text => quantityValue(parse(text)));
  if (((amount ?? 0) - (first ?? 0)) % (interval ?? 1) === 0) return;
  field.invalid(
    `value is not a multiple of a given step (${canonical(step)}) from (${canonical(min)})`,
    canonical(value),
  );
}

function validateRange(field: Field<CapacityRequestPolicyRange>, { capacity, defaultValue }: Bounds): void {
  const [min, max, step] = [field.at('min'), field.at('max'), field.at('step')];
  if (!min.isSet) {
    min.required('required when validRange is defined');
    return;
  }
  const lower = String(min.value);
  if (compare(lower, capacity) > 0)
    min.invalid(`min is larger than capacity value: ${canonical(capacity)}`, canonical(lower));
  if (compare(defaultValue, lower) < 0)
    min.invalid(`default is less than min: ${canonical(lower)}`, canonical(defaultValue));
  const upper = max.isSet ? String(max.value) : undefined;
  if (upper !== undefined) {
    if (compare(lower, upper) > 0) max.invalid(`min is larger than max: ${canonical(upper)}`, canonical(lower));
    if (compare(upper, capacity) > 0)
      max.invalid(`max is larger than capacity value: ${canonical(capacity)}`, canonical(upper));
    if (compare(defaultValue, upper) > 0)
      max.invalid(`default is more than max: ${canonical(upper)}`, canonical(defaultValue));
  }
  if (!step.isSet) return;
  const by = String(step.value);
  const next = addQuantities(parse(lower), parse(by));
  if (compareQuantities(next, parse(capacity)) > 0) {
    const text = String(quantityValue(next));
    step.invalid(`one step ${text} is larger than capacity value: ${canonical(capacity)}`, canonical(by));
  }
  validateMultiple(step, defaultValue, lower, by);
  if (upper !== undefined) validateMultiple(step, upper, lower, by);
}

function validatePolicy(field: Field<CapacityRequestPolicy>, capacity: string): void {
  const [valid, span, defaultField] = [field.at('validValues'), field.at('validRange'), field.at('default')];
  if (!valid.isEmpty && span.isSet) {
    field.forbidden(
      'exactly one policy can be specified, cannot specify "validValues" and "validRange" at the same time',
    );
    return;
  }
  const kind = !valid.isEmpty ? 'validValues' : span.isSet ? 'validRange' : undefined;
  if (kind === undefined) return;
  if (!defaultField.isSet) {
    defaultField.required(`required when ${kind} is defined`);
    return;
  }
  const bounds = { capacity, defaultValue: String(defaultField.value) };
  if (kind === 'validValues') validateValues(valid as Field<string[]>, bounds);
  else validateRange(span, bounds);
}

/** `allowMultipleAllocations`: whether several claims can share the device. */
export function capacityRules(capacity: Field<DeviceCapacity>, allowMultipleAllocations: boolean): void {
  const field = capacity.at('requestPolicy');
  if (!field.isSet) return;
  if (allowMultipleAllocations) validatePolicy(field, String(capacity.value?.value ?? '0'));
  else field.forbidden('allowMultipleAllocations must be true');
}
