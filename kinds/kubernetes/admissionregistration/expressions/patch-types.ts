/** The additional types in expressions of mutating policies: objects to apply, and JSON patches. */
// as apiserver/pkg/cel/mutation, apiserver/pkg/cel/library jsonpatch.go
import type { Steps } from '../../../../lib/steps.js';
import { type Library, fn } from '../../../../lib/cel/function.js';
import * as cost from '../../../../lib/cel/cost-model.js';
import * as t from '../../../../lib/cel/types.js';
import { CelMap, CelObject, List, type Value } from '../../../../lib/cel/values.js';
import { ownValue } from '../../../../lib/collections/own-value.js';

const patchFields: Readonly<Record<string, t.Type>> = { op: t.string, path: t.string, from: t.string, value: t.dyn };

const typed = (name: string, field: (name: string) => t.Type | undefined): t.Type => ({ kind: 'object', name, field });

/** An object to apply: any field, of any type. */
export const objectType = typed('Object', () => t.dyn);
/** An operation of a JSON patch. */
export const jsonPatchType = typed('JSONPatch', name => ownValue(patchFields, name));

/** Returns the type for `Object`, and for the nested `Object.FIELD...`. */
export function structType(name: string): t.Type | undefined {
  if (name === 'JSONPatch') return jsonPatchType;
  if (name === 'Object') return objectType;
  return name.startsWith('Object.') ? typed(name, () => t.dyn) : undefined;
}

const escapeCost: cost.CallCost = {
  estimate: args => ({ cost: cost.factor(args[0]?.size ?? cost.unknownSize, cost.perCharacter) }),
  actual: (args, _result, sizeOf) => Math.ceil(sizeOf(args[0] ?? null) * cost.perCharacter),
};

export const jsonPatchLibrary: Library = [
  fn('string_jsonpatch_escapeKey_string', 'jsonpatch.escapeKey', [t.string], t.string, {
    call: (key: string) => key.replaceAll('~', '~0').replaceAll('/', '~1'),
    cost: escapeCost,
  }),
];

/**
 * Returns a text for each nested object whose type is not named after the field that contains it. Counts the visited values: a value may be far larger
 * than the memory that it takes.
 */
export function misnamed(value: Value, steps: Steps, path: readonly string[] = ['Object']): string[] {
  steps.take(1);
  if (value instanceof List) return value.toArray(steps).flatMap(item => misnamed(item, steps, path));
  if (value instanceof CelMap) return value.keys().flatMap(key => misnamed(value.get(key) as Value, steps, path));
  if (!(value instanceof CelObject) || !value.struct) return [];
  const { name, fields } = value.struct;
  const expected = path.join('.');
  const own =
    name === expected
      ? []
      : [
          `unexpected type name ${JSON.stringify(name)}, expected ${JSON.stringify(expected)}, which matches field name path from root Object type`,
        ];
  return [...own, ...[...fields].flatMap(([field, inner]) => misnamed(inner, steps, [...path, field]))];
}
