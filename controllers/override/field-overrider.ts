import { type DocumentOptions, parse, type ParseOptions, type SchemaOptions, stringify } from 'yaml';
import type { KubeObject } from '../../openapi/interface.js';
import { jsonText } from '../../openapi/meta/json.js';
import type { JsonPatchOp } from '../../openapi/patch/json-patch.js';
import { parsePointer } from '../../openapi/patch/json-pointer.js';
import { readJson } from '../../openapi/schema/read-json.js';
import type { Overriders } from '../../registry/kinds/karmada/types.js';
import { patchOp, strictPatch } from './patch.js';
import { valueAt } from './pod-spec.js';

type FieldOverrider = NonNullable<Overriders['fieldOverrider']>[number];

/** Patches inside a field that holds a document as text, such as a configuration file in a ConfigMap. */
export function overrideField(object: KubeObject, { fieldPath, json, yaml }: FieldOverrider): KubeObject {
  const text = valueAt(object, parsePointer(fieldPath));
  if (typeof text !== 'string') throw new Error(`Get object's value by overrider's path(${fieldPath}) is not string`);
  const value = yaml?.length
    ? patchYaml(text, operations(yaml))
    : json?.length
      ? patchJson(text, operations(json))
      : '';
  return strictPatch(object, [{ op: 'replace', path: fieldPath, value }]);
}

const operations = (list: NonNullable<FieldOverrider['json']>): JsonPatchOp[] =>
  list.map(operation => patchOp(operation.subPath, operation));

/** Keys of the maps that the patch went through come out sorted, as Go writes maps; the rest stays as it was written. */
function patchJson(text: string, ops: readonly JsonPatchOp[]): string {
  const document: unknown = strictPatch(readJson(text), ops);
  const paths = ops.map(({ path }) => parsePointer(path).slice(0, -1));
  return jsonText(sortedAlong(document, paths));
}

function sortedAlong(value: unknown, paths: readonly (readonly string[])[]): unknown {
  if (value === null || typeof value !== 'object' || paths.length === 0) return value;
  const below = (key: string): (readonly string[])[] =>
    paths.filter(([first]) => first === key).map(([, ...rest]) => rest);
  if (Array.isArray(value)) return value.map((item, i) => sortedAlong(item, below(String(i))));
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, entry]) => [key, sortedAlong(entry, below(key))]));
}

/** As Go reads YAML into JSON: yes and no are booleans, dates stay text. */
const notInJson = /:(timestamp|binary|omap|pairs|set|intTime|floatTime)$/;
const goYaml: ParseOptions & DocumentOptions & SchemaOptions = {
  version: '1.1',
  customTags: tags => tags.filter(tag => typeof tag === 'string' || !notInJson.test(tag.tag)),
};

function patchYaml(text: string, ops: readonly JsonPatchOp[]): string {
  const document: unknown = strictPatch(parse(text, goYaml) as unknown, ops);
  return stringify(document, { sortMapEntries: true, indentSeq: false, lineWidth: 0 });
}
