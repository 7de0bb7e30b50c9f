/** The JSON patch between two documents, for webhooks and tests. */
import { deepEqual } from '../meta/equality.js';
import { has, isObject } from './json.js';
import type { JsonPatchOp } from './json-patch.js';
import { pointerToken } from './json-pointer.js';

function compare(path: string, before: unknown, after: unknown, ops: JsonPatchOp[]): void {
  if (deepEqual(before, after)) return;
  if (isObject(before) && isObject(after)) {
    for (const key of Object.keys(before))
      if (!has(after, key)) ops.push({ op: 'remove', path: `${path}/${pointerToken(key)}` });
    for (const key of Object.keys(after)) {
      const at = `${path}/${pointerToken(key)}`;
      if (has(before, key)) compare(at, before[key], after[key], ops);
      else ops.push({ op: 'add', path: at, value: after[key] });
    }
  } else if (Array.isArray(before) && Array.isArray(after)) compareLists(path, before, after, ops);
  else ops.push({ op: 'replace', path, value: after });
}

/** Position by position; what is left over is removed from the end or appended. */
function compareLists(path: string, before: readonly unknown[], after: readonly unknown[], ops: JsonPatchOp[]): void {
  const shared = Math.min(before.length, after.length);
  for (let i = 0; i < shared; i++) compare(`${path}/${i}`, before[i], after[i], ops);
  for (let i = before.length - 1; i >= shared; i--) ops.push({ op: 'remove', path: `${path}/${i}` });
  for (let i = shared; i < after.length; i++) ops.push({ op: 'add', path: `${path}/${i}`, value: after[i] });
}

/** Operations that make `modified` of `original`; none when they are equal. */
export function createJsonPatch(original: unknown, modified: unknown): JsonPatchOp[] {
  const ops: JsonPatchOp[] = [];
  compare('', original, modified, ops);
  return ops;
}
