import { ExpectedError } from '../../lib/logging/cause.js';
import type { KubeObject } from '../../apimachinery/interface.js';
import { applyChecked, type JsonPatchOp } from '../../apimachinery/patch/json-patch.js';
import { parsePointer } from '../../apimachinery/patch/json-pointer.js';

/** Applies a JSON patch as Karmada does, which unlike kube-apiserver refuses to replace a missing value. Does not change the input. */
export function strictPatch<T>(document: T, ops: readonly JsonPatchOp[]): T {
  return applyChecked(document, ops, (op, holds) => {
    if (op.op !== 'replace') return;
    const path = parsePointer(op.path);
    if (holds(path)) return;
    // Either the last key is missing, or its parent, too.
    const missing = holds(path.slice(0, -1)) ? 'key' : 'path';
    throw new ExpectedError(`replace operation does not apply: doc is missing ${missing}: ${op.path}: missing value`);
  }) as T;
}

interface Operation {
  readonly operator: string;
  readonly value?: unknown;
}

/** Returns the operation of a JSON patch for an override of the field at `path`. */
export const patchOp = (path: string, { operator, value }: Operation): JsonPatchOp => ({
  op: operator,
  path,
  ...(value === undefined ? {} : { value }),
});

/** Returns labels or annotations; undefined if absent, or if a value is not a string (as unstructured.NestedStringMap). */
export function stringMap(object: KubeObject, field: 'labels' | 'annotations'): Record<string, string> | undefined {
  const map = object.metadata[field];
  return map && Object.values(map).every(value => typeof value === 'string') ? map : undefined;
}
