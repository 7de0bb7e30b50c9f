/** Validates an object that a webhook has converted: it must be another version of the same object. */
// as apiextensions-apiserver/pkg/apiserver/conversion validateConvertedObject, restoreObjectMeta
import type { Fault, KubeObject, ObjectMeta } from '../../../apimachinery/interface.js';
import { cloneJson } from '../../../lib/json/clone.js';
import { deepEqual } from '../../../lib/json/equality.js';
import { readApiVersion } from '../../../apimachinery/meta/gvk.js';
import { isInt64, isNumeric } from '../../../lib/json/json.js';
import { faultsText } from '../../../apimachinery/errors/status.js';
import { labelFaults } from '../../../apimachinery/selectors/label-faults.js';
import { annotationFaults } from '../../strategy/metadata.js';
import { isMap } from '../../../lib/json/is-map.js';

type Plain = Record<string, unknown>;

const asObject = (value: unknown): Plain | undefined => (isMap(value) ? value : undefined);

/** Returns the type of a JSON value as Go prints it. */
function goType(value: unknown): string {
  if (value === null || value === undefined) return '<nil>';
  if (Array.isArray(value)) return '[]interface {}';
  if (typeof value === 'object') return 'map[string]interface {}';
  if (isNumeric(value)) return isInt64(value) ? 'int64' : 'float64';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}

const versionText = (apiVersion: unknown): string => {
  const { group = '', version = '' } = readApiVersion(typeof apiVersion === 'string' ? apiVersion : '') ?? {};
  return group === '' ? version : `${group}/${version}`;
};

/**
 * Returns the converted object with the metadata of the original one, except labels and annotations. Throws an Error for an invalid answer:
 * `invalid object: must have the same name: a != b`.
 */
export function convertedObject(original: KubeObject, answer: unknown, desired: string): KubeObject {
  const converted = asObject(answer);
  if (!converted) throw new Error(`invalid object: json: cannot unmarshal ${goType(answer)} into Go value`);
  const at = 'invalid object at index 0:';
  const { apiVersion, kind } = converted;
  if (apiVersion !== desired)
    throw new Error(`${at} invalid groupVersion (expected ${desired}, received ${versionText(apiVersion)})`);
  if (kind !== original.kind)
    throw new Error(`${at} invalid kind (expected ${original.kind}, received ${String(kind ?? '')})`);
  const metadata = (asObject(converted['metadata']) ?? {}) as ObjectMeta;
  for (const [field, name] of [
    ['name', 'name'],
    ['namespace', 'namespace'],
    ['uid', 'UID'],
  ] as const) {
    const [before, after] = [original.metadata[field] ?? '', metadata[field] ?? ''];
    if (before !== after) throw new Error(`invalid object: must have the same ${name}: ${before} != ${after}`);
  }
  return { ...converted, apiVersion: desired, kind: original.kind, metadata: restored(original, converted) };
}

function restored(original: KubeObject, converted: Plain): ObjectMeta {
  const invalid = (text: string): Error => new Error(`invalid metadata: ${text}`);
  if (!('metadata' in converted)) throw invalid('missing metadata in converted object');
  const given = asObject(converted['metadata']);
  if (!given) throw invalid(`invalid metadata of type ${goType(converted['metadata'])} in converted object`);
  const metadata = cloneJson(original.metadata);
  for (const field of ['labels', 'annotations'] as const) {
    const value = given[field] ?? undefined;
    delete metadata[field];
    if (value === undefined) continue;
    const texts = asObject(value);
    if (!texts) throw invalid(`invalid metadata.${field} of type ${goType(value)} in converted object`);
    for (const [key, text] of Object.entries(texts))
      if (typeof text !== 'string')
        throw invalid(`metadata.${field}[${key}] must be a string, but is ${goType(text)} in converted object`);
    const changed = !deepEqual(texts, original.metadata[field] ?? {});
    const faults = changed ? faultsOf(field, texts as Record<string, string>) : [];
    if (faults.length > 0) throw invalid(faultsText(faults));
    metadata[field] = texts as Record<string, string>;
  }
  return metadata;
}

const faultsOf = (field: 'labels' | 'annotations', texts: Record<string, string>): readonly Fault[] =>
  field === 'labels' ? labelFaults(texts, 'metadata.labels') : annotationFaults(texts, 'metadata.annotation');
