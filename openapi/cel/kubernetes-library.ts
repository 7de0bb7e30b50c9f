/** Quantities, versions and named formats. as apiserver/pkg/cel/library quantity.go, semverlib.go, format.go */
import { requestUriError } from '../../lib/go/go-url.js';
import {
  asPrefix,
  checkDns1035Label,
  checkDns1123Label,
  checkDns1123Subdomain,
  checkLabelValue,
  checkQualifiedName,
} from '../../apimachinery/meta/names.js';
import {
  type Quantity,
  addQuantities,
  compareQuantities,
  parseQuantity,
  quantityError,
  quantityFloat,
  quantityOf,
  quantitySign,
  subtractQuantities,
} from '../../apimachinery/quantity/quantity.js';
import type { Steps } from '../../lib/steps.js';
import { formatCheck } from '../formats.js';
import * as cost from '../../lib/cel/cost-model.js';
import { type Library, countedMethod, fn, method } from '../../lib/cel/function.js';
import { Opaque } from '../../lib/cel/opaque.js';
import { type Semver, compareSemver, parseSemver } from './semver.js';
import * as t from '../../lib/cel/types.js';
import { CelError, Optional, type Value, listOf, none } from '../../lib/cel/values.js';

const fail = (text: string): never => {
  throw new CelError(text);
};

const walk = cost.traversal();

/** Returns the comparison functions of quantities and versions. */
function ordered<T>(prefix: string, type: t.Type, compare: (a: T, b: T) => number): Library {
  const of =
    (make: (order: number) => Value) =>
    (a: Opaque, b: Opaque): Value =>
      make(compare(a.value as T, b.value as T));
  return [
    method(
      `${prefix}_is_greater_than`,
      'isGreaterThan',
      [type, type],
      t.bool,
      of(order => order > 0),
    ),
    method(
      `${prefix}_is_less_than`,
      'isLessThan',
      [type, type],
      t.bool,
      of(order => order < 0),
    ),
    method(
      `${prefix}_compare_to`,
      'compareTo',
      [type, type],
      t.int,
      of(order => BigInt(order)),
    ),
  ];
}

// --- quantities -------------------------------------------------------------------------------------------------

const quantity = t.opaque('kubernetes.Quantity');
const amount = (value: Opaque): Quantity => value.value as Quantity;
const sameAmount = (a: Quantity) => (b: Opaque) => compareQuantities(a, amount(b)) === 0;
const wrapQuantity = (q: Quantity): Opaque => new Opaque(quantity, q, sameAmount(q));

function toQuantity(text: string): Opaque {
  const error = quantityError(text);
  return error === undefined ? wrapQuantity(parseQuantity(text)) : fail(error);
}

/** Returns the amount as an int; undefined if it is not an integer, or too large. */
function whole({ unscaled, scale }: Quantity): bigint | undefined {
  if (scale < -18 || scale > 18) return unscaled === 0n ? 0n : undefined;
  const power = 10n ** BigInt(Math.abs(scale));
  if (scale < 0 && unscaled % power !== 0n) return undefined;
  const value = scale < 0 ? unscaled / power : unscaled * power;
  return BigInt.asIntN(64, value) === value ? value : undefined;
}

type Sum = (a: Quantity, b: Quantity) => Quantity;

function sums(name: string, sum: Sum): Library {
  return [
    method(`quantity_${name}`, name, [quantity, quantity], quantity, (a: Opaque, b: Opaque) =>
      wrapQuantity(sum(amount(a), amount(b))),
    ),
    method(`quantity_${name}_int`, name, [quantity, t.int], quantity, (a: Opaque, b: bigint) =>
      wrapQuantity(sum(amount(a), quantityOf(b))),
    ),
  ];
}

const quantities: Library = [
  fn('string_to_quantity', 'quantity', [t.string], quantity, { call: toQuantity, cost: walk }),
  fn('is_quantity_string', 'isQuantity', [t.string], t.bool, {
    call: (s: string) => quantityError(s) === undefined,
    cost: walk,
  }),
  // Upstream declares it as a function, not as a method.
  fn('quantity_sign', 'sign', [quantity], t.int, (q: Opaque) => BigInt(quantitySign(amount(q)))),
  ...ordered('quantity', quantity, compareQuantities),
  method('quantity_get_float', 'asApproximateFloat', [quantity], t.double, (q: Opaque) => quantityFloat(amount(q))),
  method(
    'quantity_get_int',
    'asInteger',
    [quantity],
    t.int,
    (q: Opaque) => whole(amount(q)) ?? fail('cannot convert value to integer'),
  ),
  method('quantity_is_integer', 'isInteger', [quantity], t.bool, (q: Opaque) => whole(amount(q)) !== undefined),
  ...sums('add', addQuantities),
  ...sums('sub', subtractQuantities),
];

// --- versions ---------------------------------------------------------------------------------------------------

const semver = t.opaque('kubernetes.Semver');

function toSemver(text: string, lenient = false): Opaque {
  const version = parseSemver(text, lenient);
  if ('error' in version) return fail(version.error);
  return new Opaque(semver, version, other => compareSemver(version, other.value as Semver) === 0);
}

const isSemver = (text: string, lenient = false): boolean => !('error' in parseSemver(text, lenient));

const part =
  (name: 'major' | 'minor' | 'patch') =>
  (v: Opaque): bigint =>
    BigInt.asIntN(64, (v.value as Semver)[name]);

const versions: Library = [
  fn('string_to_semver', 'semver', [t.string], semver, { call: toSemver, cost: walk }),
  fn('string_bool_to_semver', 'semver', [t.string, t.bool], semver, { call: toSemver, cost: walk }),
  fn('is_semver_string', 'isSemver', [t.string], t.bool, { call: isSemver, cost: walk }),
  fn('is_semver_string_bool', 'isSemver', [t.string, t.bool], t.bool, { call: isSemver, cost: walk }),
  ...ordered('semver', semver, compareSemver),
  ...(['major', 'minor', 'patch'] as const).map(name => method(`semver_${name}`, name, [semver], t.int, part(name))),
];

// --- named formats ----------------------------------------------------------------------------------------------

interface Format {
  readonly name: string;
  readonly check: (text: string) => readonly string[];
  /** Length of the regular expression for which the check is charged. */
  readonly regexSize: number;
}

const format = t.opaque('kubernetes.NamedFormat');

const knownFormat = (name: string, text: string): Format['check'] => {
  const check = formatCheck(name);
  return value => (check?.(value) ? [] : [text]);
};

function uriFaults(text: string): string[] {
  const error = requestUriError(text);
  return error === undefined ? [] : [error];
}

const label = { check: checkDns1123Label, regexSize: 30 };
const subdomain = { check: checkDns1123Subdomain, regexSize: 60 };
const dns1035Label = { check: checkDns1035Label, regexSize: 30 };
const timeSize = 71;

const formats: Readonly<Record<string, Format>> = {
  dns1123Label: { name: 'DNS1123Label', ...label },
  dns1123Subdomain: { name: 'DNS1123Subdomain', ...subdomain },
  dns1035Label: { name: 'DNS1035Label', ...dns1035Label },
  qualifiedName: { name: 'QualifiedName', check: checkQualifiedName, regexSize: 60 },
  dns1123LabelPrefix: { name: 'DNS1123LabelPrefix', ...label, check: asPrefix(label.check) },
  dns1123SubdomainPrefix: { name: 'DNS1123SubdomainPrefix', ...subdomain, check: asPrefix(subdomain.check) },
  dns1035LabelPrefix: { name: 'DNS1035LabelPrefix', ...dns1035Label, check: asPrefix(dns1035Label.check) },
  labelValue: { name: 'LabelValue', check: checkLabelValue, regexSize: 40 },
  uri: { name: 'URI', check: uriFaults, regexSize: 1103 },
  uuid: { name: 'uuid', check: knownFormat('uuid', 'does not match the UUID format'), regexSize: 70 },
  byte: { name: 'byte', check: knownFormat('byte', 'invalid base64'), regexSize: 84 },
  date: { name: 'date', check: knownFormat('date', 'invalid date'), regexSize: timeSize },
  datetime: { name: 'datetime', check: knownFormat('date-time', 'invalid datetime'), regexSize: timeSize },
};

const wrapFormat = (f: Format): Opaque => new Opaque(format, f, other => f.name === (other.value as Format).name);

function validate(steps: Steps, f: Opaque, text: string): Optional {
  steps.take(text.length);
  const faults = (f.value as Format).check(text);
  return faults.length === 0 ? none : new Optional(listOf(faults));
}

const validateCost: cost.CallCost = {
  estimate: args => {
    const text = cost.factor(args[1]?.size ?? cost.unknownSize, cost.perCharacter);
    return { cost: cost.factor(text, 128 * cost.perRegexCharacter) };
  },
  actual: (args, _result, size) => {
    const { regexSize } = (args[0] as Opaque).value as Format;
    const text = Math.ceil((1 + size(args[1] as Value)) * cost.perCharacter);
    return text * Math.ceil(regexSize * cost.perRegexCharacter);
  },
};

const named: Library = [
  countedMethod('format-validate', 'validate', [format, t.string], t.optional(t.list(t.string)), {
    call: validate,
    cost: validateCost,
  }),
  fn('format-named', 'format.named', [t.string], t.optional(format), (name: string) =>
    Object.hasOwn(formats, name) ? new Optional(wrapFormat(formats[name] as Format)) : none,
  ),
  ...Object.entries(formats).map(([name, f]) =>
    fn(`format.${name}`, `format.${name}`, [], format, () => wrapFormat(f)),
  ),
];

export const kubernetesLibrary: Library = [...quantities, ...versions, ...named];
