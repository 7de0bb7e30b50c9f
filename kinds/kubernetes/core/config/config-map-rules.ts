// as pkg/apis/core/validation ValidateConfigMap, ValidateConfigMapUpdate
import { semanticEqual } from '../../../../lib/json/equality.js';
import { checkConfigMapKey } from '../../../../apimachinery/meta/names.js';
import type { Validate } from '../../../../registry/interface.js';
import type { Field } from '../../../shared/rules/field.js';
import { validate, validateChange } from '../../../shared/rules/validate.js';
import type { ConfigMap } from '../../../../api/kubernetes/core.js';

/** The limit for all values of a config map or secret together. */
export const maxDataBytes = 1024 * 1024;

/** Returns the number of bytes of a valid base64 value, which ends in at most two `=`; null has none. */
export function decodedLength(base64: string | null): number {
  if (base64 === null) return 0;
  const padding = base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0;
  return Math.floor(((base64.length - padding) * 3) / 4);
}

/** hot: maps have up to hundreds of thousands of keys; paths are created only for errors. */
const someKey = (map: object, is: (name: string) => boolean): boolean => Object.keys(map).some(is);

const isBad = (name: string): boolean => checkConfigMapKey(name).length > 0;

/** Errors about keys are reported at the entries. */
export function dataKeys(data: Field<Record<string, string>>): void {
  if (!someKey(data.value ?? {}, isBad)) return;
  for (const [name, value] of data.entries()) for (const text of checkConfigMapKey(name)) value.invalid(text, name);
}

interface MaybeImmutable {
  readonly immutable?: boolean;
}

/** Once `immutable` is set, neither it nor the named fields can change. */
export function sealed<T extends MaybeImmutable>(
  object: Field<T>,
  old: T,
  fields: readonly (keyof T & string)[],
): void {
  if (!old.immutable) return;
  const text = 'field is immutable when `immutable` is set';
  if (!object.value?.immutable) object.at('immutable').forbidden(text);
  for (const name of fields) if (!semanticEqual(object.value?.[name], old[name])) object.at(name).forbidden(text);
}

function textKeys(map: Field<ConfigMap>): void {
  const [data, binary] = [map.at('data'), map.at('binaryData')];
  const twice = binary.value ?? {};
  const mayBeTwice = Object.keys(twice).length > 0;
  if (!someKey(data.value ?? {}, name => isBad(name) || (mayBeTwice && Object.hasOwn(twice, name)))) return;
  for (const [name, value] of data.entries()) {
    for (const text of checkConfigMapKey(name)) value.invalid(text, name);
    if (binary.entry(name).isSet) value.invalid('duplicate of key present in binaryData', name);
  }
}

function totalSize(map: Field<ConfigMap>): void {
  const { data = {}, binaryData = {} } = map.value ?? {};
  let size = 0;
  for (const name in data) size += Buffer.byteLength(data[name] ?? '');
  for (const name in binaryData) size += decodedLength(binaryData[name] ?? null);
  if (size > maxDataBytes) map.as('[]').tooLong(maxDataBytes);
}

/** The maps may be long, so there is a rule for each, and one for their size. */
export const configMapRules: readonly Validate[] = [
  validate<ConfigMap>(textKeys),
  validate<ConfigMap>(map => dataKeys(map.at('binaryData'))),
  validate<ConfigMap>(totalSize),
];

export const configMapChangeRules: readonly Validate[] = [
  validateChange<ConfigMap>((map, old) => sealed(map, old, ['data', 'binaryData'])),
  ...configMapRules,
];
