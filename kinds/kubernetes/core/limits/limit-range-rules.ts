// as pkg/apis/core/validation ValidateLimitRange
import {
  type Quantity,
  compareQuantities,
  parseQuantity,
  quantityFloat,
  quantityOf,
  quantityText,
} from '../../../../apimachinery/quantity/quantity.js';
import { checkQualifiedName } from '../../../../apimachinery/meta/names.js';
import type { Validate } from '../../../../registry/interface.js';
import type { Field } from '../../../shared/rules/field.js';
import {
  checkContainerResourceName,
  isOvercommitAllowed,
  checkResourceName,
} from '../../../shared/rules/resource-names.js';
import { validate } from '../../../shared/rules/validate.js';
import type { LimitRange, LimitRangeItem } from '../../../../api/kubernetes/core.js';

const types = ['Container', 'PersistentVolumeClaim', 'Pod'];

function typeName(type: Field<string>): void {
  const name = type.value ?? '';
  const texts = checkQualifiedName(name);
  for (const text of texts) type.invalid(text, name);
  if (texts.length === 0 && !name.includes('/') && !types.includes(name))
    type.invalid('must be a standard limit type or fully qualified', name);
}

type Kind = 'max' | 'min' | 'default' | 'defaultRequest' | 'maxLimitRequestRatio';
type Amounts = Readonly<Record<Kind, Quantity | undefined>>;

function limitOf(limit: Field<LimitRangeItem>): void {
  const type = limit.value?.type ?? '';
  const named = type === 'Pod' || type === 'Container' ? checkContainerResourceName : checkResourceName;
  const names = new Set<string>();
  const read = (kind: Kind): void => {
    for (const [name, amount] of limit.at(kind).entries()) {
      named(name, amount);
      names.add(name);
    }
  };
  const isPod = type === 'Pod';
  read('max');
  read('min');
  for (const kind of ['default', 'defaultRequest'] as const) {
    if (!isPod) read(kind);
    else if (!limit.at(kind).isEmpty) limit.at(kind).forbidden("may not be specified when `type` is 'Pod'");
  }
  const [min, max] = [limit.at('min').entry('storage'), limit.at('max').entry('storage')];
  if (type === 'PersistentVolumeClaim' && !min.isSet && !max.isSet)
    limit
      .as(`${limit.path}.limits`)
      .required('either minimum or maximum storage value is required, but neither was provided');
  read('maxLimitRequestRatio');
  for (const name of [...names].sort()) compare(limit, name, isPod);
}

function amountsOf(limit: Field<LimitRangeItem>, name: string, isPod: boolean): Amounts {
  const amount = (kind: Kind): Quantity | undefined => {
    const text = limit.at(kind).entry(name).value;
    return text === undefined ? undefined : parseQuantity(text);
  };
  return {
    max: amount('max'),
    min: amount('min'),
    default: isPod ? undefined : amount('default'),
    defaultRequest: isPod ? undefined : amount('defaultRequest'),
    maxLimitRequestRatio: amount('maxLimitRequestRatio'),
  };
}

/** If `less` exceeds `more`, the error is reported at the entry `at` of the list, with the amount of `shown`. */
interface Order {
  readonly less: Kind;
  readonly more: Kind;
  readonly at: Kind;
  readonly shown: Kind;
  readonly text: readonly [string, string];
}

const orders: readonly Order[] = [
  { less: 'min', more: 'max', at: 'min', shown: 'min', text: ['min value', 'max value'] },
  {
    less: 'min',
    more: 'defaultRequest',
    at: 'defaultRequest',
    shown: 'defaultRequest',
    text: ['min value', 'default request value'],
  },
  {
    less: 'defaultRequest',
    more: 'max',
    at: 'defaultRequest',
    shown: 'defaultRequest',
    text: ['default request value', 'max value'],
  },
  {
    less: 'defaultRequest',
    more: 'default',
    at: 'defaultRequest',
    shown: 'defaultRequest',
    text: ['default request value', 'default limit value'],
  },
  { less: 'min', more: 'default', at: 'default', shown: 'min', text: ['min value', 'default value'] },
  { less: 'default', more: 'max', at: 'default', shown: 'max', text: ['default value', 'max value'] },
];

function compare(limit: Field<LimitRangeItem>, name: string, isPod: boolean): void {
  const amounts = amountsOf(limit, name, isPod);
  for (const { less, more, at, shown, text } of orders) {
    const [a, b] = [amounts[less], amounts[more]];
    if (!a || !b || compareQuantities(a, b) <= 0) continue;
    const detail = `${text[0]} ${quantityText(a)} is greater than ${text[1]} ${quantityText(b)}`;
    const value = amounts[shown];
    limit
      .at(at)
      .entry(name)
      .invalid(detail, value && quantityText(value));
  }
  ratio(limit.at('maxLimitRequestRatio').entry(name), amounts);
  const { default: limitAmount, defaultRequest } = amounts;
  if (isOvercommitAllowed(name) || !limitAmount || !defaultRequest) return;
  if (compareQuantities(limitAmount, defaultRequest) === 0) return;
  const text = `default value ${quantityText(limitAmount)} must equal to defaultRequest value ${quantityText(defaultRequest)} in ${name}`;
  limit.at('defaultRequest').entry(name).invalid(text, quantityText(defaultRequest));
}

function ratio(field: Field<string | number>, { maxLimitRequestRatio: maxRatio, min, max }: Amounts): void {
  if (!maxRatio) return;
  const text = quantityText(maxRatio);
  if (compareQuantities(maxRatio, quantityOf(1)) < 0) field.invalid(`ratio ${text} is less than 1`, text);
  if (!min || !max) return;
  const possible = quantityFloat(max) / quantityFloat(min);
  if (quantityFloat(maxRatio) > possible)
    field.invalid(
      `ratio ${text} is greater than max/min = ${Number.isFinite(possible) ? possible.toFixed(6) : '+Inf'}`,
      text,
    );
}

export const limitRangeRules: readonly Validate[] = [
  validate<LimitRange>(range => {
    const seen = new Set<string>();
    for (const limit of range.at('spec').at('limits').items()) {
      const type = limit.at('type');
      typeName(type);
      if (seen.has(type.value ?? '')) type.duplicate();
      seen.add(type.value ?? '');
      limitOf(limit);
    }
  }),
];
