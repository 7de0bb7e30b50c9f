import { ExpectedError } from '../../lib/logging/cause.js';
import type { KubeObject } from '../../apimachinery/interface.js';
import { applyJsonPatch, type JsonPatchOp } from '../../apimachinery/patch/json-patch.js';
import { parsePointer } from '../../apimachinery/patch/json-pointer.js';
import { valueAt } from './pod-spec.js';

/** JSON patch as Karmada applies it: stricter than kube-apiserver, replace needs something to replace. The input is not changed. */
export function strictPatch<T>(document: T, ops: readonly JsonPatchOp[]): T {
  let result: unknown = document;
  for (const op of ops) {
    const missing = op.op === 'replace' ? missingAt(result, parsePointer(op.path)) : undefined;
    if (missing !== undefined)
      throw new ExpectedError(`replace operation does not apply: doc is missing ${missing}: ${op.path}: missing value`);
    result = applyJsonPatch(result, [op]);
  }
  return result as T;
}

/** What a path lacks: its last key, or already the way there. */
function missingAt(document: unknown, path: readonly string[]): 'key' | 'path' | undefined {
  if (valueAt(document, path) !== undefined) return undefined;
  return valueAt(document, path.slice(0, -1)) === undefined ? 'path' : 'key';
}

interface Operation {
  readonly operator: string;
  readonly value?: unknown;
}

export const patchOp = (path: string, { operator, value }: Operation): JsonPatchOp => ({
  op: operator,
  path,
  ...(value === undefined ? {} : { value }),
});

/** A map of strings; undefined where there is none, or something else among its values (as unstructured.NestedStringMap). */
export function stringMap(object: KubeObject, field: 'labels' | 'annotations'): Record<string, string> | undefined {
  const map = object.metadata[field];
  return map && Object.values(map).every(value => typeof value === 'string') ? map : undefined;
}
