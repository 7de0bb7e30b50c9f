import { ExpectedError } from '../../lib/logging/cause.js';
import type { KubeObject } from '../../apimachinery/interface.js';
import { applyChecked, type JsonPatchOp } from '../../apimachinery/patch/json-patch.js';
import { parsePointer } from '../../apimachinery/patch/json-pointer.js';

/** JSON patch as Karmada applies it: stricter than kube-apiserver, replace needs something to replace. The input is not changed. */
export function strictPatch<T>(document: T, ops: readonly JsonPatchOp[]): T {
  return applyChecked(document, ops, (op, holds) => {
    if (op.op !== 'replace') return;
    const path = parsePointer(op.path);
    if (holds(path)) return;
    // The last key is missing, or already the way there.
    const missing = holds(path.slice(0, -1)) ? 'key' : 'path';
    throw new ExpectedError(`replace operation does not apply: doc is missing ${missing}: ${op.path}: missing value`);
  }) as T;
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
