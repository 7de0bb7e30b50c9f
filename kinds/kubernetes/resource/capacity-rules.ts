/** How much of a device's capacity may be asked for. as pkg/apis/resource/validation validateRequestPolicy */
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
  readonly usual: string;
}

function values(list: Field<string[]>, { capacity, usual }: Bounds): void {
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
  if (!all.some(value => compared(value.value ?? '0', usual) === 0))
    list.invalid('default value is not valid according to the requestPolicy', shown(usual));
}

function multiple(field: Field<unknown>, value: string, least: string, step: string): void {
  const [of, from, by] = [value, least, step].map(text => quantityValue(parsed(text)));
  if (((of ?? 0) - (from ?? 0)) % (by ?? 1) === 0) return;
  field.invalid(`value is not a multiple of a given step (${shown(step)}) from (${shown(least)})`, shown(value));
}

function range(field: Field<CapacityRequestPolicyRange>, { capacity, usual }: Bounds): void {
  const [min, max, step] = [field.at('min'), field.at('max'), field.at('step')];
  if (!min.isSet) {
    min.required('required when validRange is defined');
    return;
  }
  const least = String(min.value);
  if (compared(least, capacity) > 0) min.invalid(`min is larger than capacity value: ${shown(capacity)}`, shown(least));
  if (compared(usual, least) < 0) min.invalid(`default is less than min: ${shown(least)}`, shown(usual));
  const most = max.isSet ? String(max.value) : undefined;
  if (most !== undefined) {
    if (compared(least, most) > 0) max.invalid(`min is larger than max: ${shown(most)}`, shown(least));
    if (compared(most, capacity) > 0) max.invalid(`max is larger than capacity value: ${shown(capacity)}`, shown(most));
    if (compared(usual, most) > 0) max.invalid(`default is more than max: ${shown(most)}`, shown(usual));
  }
  if (!step.isSet) return;
  const by = String(step.value);
  const next = addQuantities(parsed(least), parsed(by));
  if (compareQuantities(next, parsed(capacity)) > 0) {
    const text = String(quantityValue(next));
    step.invalid(`one step ${text} is larger than capacity value: ${shown(capacity)}`, shown(by));
  }
  multiple(step, usual, least, by);
  if (most !== undefined) multiple(step, most, least, by);
}

function policy(field: Field<CapacityRequestPolicy>, capacity: string): void {
  const [valid, span, usual] = [field.at('validValues'), field.at('validRange'), field.at('default')];
  if (!valid.isEmpty && span.isSet) {
    field.forbidden(
      'exactly one policy can be specified, cannot specify "validValues" and "validRange" at the same time',
    );
    return;
  }
  const kind = !valid.isEmpty ? 'validValues' : span.isSet ? 'validRange' : undefined;
  if (kind === undefined) return;
  if (!usual.isSet) {
    usual.required(`required when ${kind} is defined`);
    return;
  }
  const bounds = { capacity, usual: String(usual.value) };
  if (kind === 'validValues') values(valid as Field<string[]>, bounds);
  else range(span, bounds);
}

/** `shared`: may the device be given to several claims at once? */
export function capacityRules(capacity: Field<DeviceCapacity>, shared: boolean): void {
  const field = capacity.at('requestPolicy');
  if (!field.isSet) return;
  if (shared) policy(field, String(capacity.value?.value ?? '0'));
  else field.forbidden('allowMultipleAllocations must be true');
}
