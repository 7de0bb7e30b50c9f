import { ExpectedError } from '../../lib/logging/cause.js';
import type { KubeObject } from '../../apimachinery/interface.js';
import type { JsonPatchOp } from '../../apimachinery/patch/json-patch.js';
import { parsePointer } from '../../apimachinery/patch/json-pointer.js';
import type { Overriders } from '../../api/karmada/types.js';
import { patchOp, strictPatch } from './patch.js';
import { valueAt } from './pod-spec.js';
import type { PatchText } from './text-patcher.js';

type FieldOverrider = NonNullable<Overriders['fieldOverrider']>[number];

/** Patches the document in a text field, such as a configuration file in a ConfigMap. Rejects if the field is not a string. */
export async function overrideField(
  object: KubeObject,
  { fieldPath, json, yaml }: FieldOverrider,
  patchText: PatchText,
): Promise<KubeObject> {
  const text = valueAt(object, parsePointer(fieldPath));
  if (typeof text !== 'string')
    throw new ExpectedError(`Get object's value by overrider's path(${fieldPath}) is not string`);
  const namespace = object.metadata.namespace ?? '';
  const value = yaml?.length
    ? await patchText({ format: 'yaml', text, ops: operations(yaml) }, namespace)
    : json?.length
      ? await patchText({ format: 'json', text, ops: operations(json) }, namespace)
      : '';
  return strictPatch(object, [{ op: 'replace', path: fieldPath, value }]);
}

const operations = (list: NonNullable<FieldOverrider['json']>): JsonPatchOp[] =>
  list.map(operation => patchOp(operation.subPath, operation));
