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

const parsed = (text: string | number | undefined): Quantity => parseQuantity(text ?? '0');
const compared = (a: string, b: string): number => compareQuantities(parsed(a), parsed(b));
const shown = (text: string): string => canonicalQuantity(text);

interface Bounds {
  readonly capacity: string;
  readonly defaultValue: string;
}

function values(list: Field<string[]>, { capacity, defaultValue }: Bounds): void {
  const all = list.items();
  for (const [i, value] of all.entries()) {
    const before = all[i - 1];
    if (before && compared(before.value ?? '0', value.value ?? '0') > 0)
      value.invalid('values must be sorted in ascending order', shown(value.value ?? '0'));
  }
  const keyOf = (value: string): string => String(quantityValue(parsed(value)));
  setOf(list, maxValues, keyOf, value => {
    const text = value.value ?? '0';
    if (compared(text, capacity) > 0)
      value.invalid(`option is larger than capacity value: ${shown(capacity)}`, shown(text));
  });
  if (!all.some(value => compared(value.value ?? '0', defaultValue) === 0))
    list.invalid('default value is not valid according to the requestPolicy', shown(defaultValue));
}

function multiple(field: Field<unknown>, value: string, min: string, step: string): void {
  const [of, from, by] = [value, min, step].map(text => quantityValue(parsed(text)));
  if (((of ?? 0) - (from ?? 0)) % (by ?? 1) === 0) return;
  field.invalid(`value is not a multiple of a given step (${shown(step)}) from (${shown(min)})`, shown(value));
}

function range(field: Field<CapacityRequestPolicyRange>, { capacity, defaultValue }: Bounds): void {
  const [min, max, step] = [field.at('min'), field.at('max'), field.at('step')];
  if (!min.isSet) {
    min.required('required when validRange is defined');
    return;
  }
  const lower = String(min.value);
  if (compared(lower, capacity) > 0) min.invalid(`min is larger than capacity value: ${shown(capacity)}`, shown(lower));
  if (compared(defaultValue, lower) < 0) min.invalid(`default is less than min: ${shown(lower)}`, shown(defaultValue));
  const upper = max.isSet ? String(max.value) : undefined;
  if (upper !== undefined) {
    if (compared(lower, upper) > 0) max.invalid(`min is larger than max: ${shown(upper)}`, shown(lower));
    if (compared(upper, capacity) > 0)
      max.invalid(`max is larger than capacity value: ${shown(capacity)}`, shown(upper));
    if (compared(defaultValue, upper) > 0)
      max.invalid(`default is more than max: ${shown(upper)}`, shown(defaultValue));
  }
  if (!step.isSet) return;
  const by = String(step.value);
  const next = addQuantities(parsed(lower), parsed(by));
  if (compareQuantities(next, parsed(capacity)) > 0) {
    const text = String(quantityValue(next));
    step.invalid(`one step ${text} is larger than capacity value: ${shown(capacity)}`, shown(by));
  }
  multiple(step, defaultValue, lower, by);
  if (upper !== undefined) multiple(step, upper, lower, by);
}

function policy(field: Field<CapacityRequestPolicy>, capacity: string): void {
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
  if (kind === 'validValues') values(valid as Field<string[]>, bounds);
  else range(span, bounds);
}

/** `shared`: whether several claims can share the device. */
export function capacityRules(capacity: Field<DeviceCapacity>, shared: boolean): void {
  const field = capacity.at('requestPolicy');
  if (!field.isSet) return;
  if (shared) policy(field, String(capacity.value?.value ?? '0'));
  else field.forbidden('allowMultipleAllocations must be true');
}
