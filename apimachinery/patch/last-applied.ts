/** Migrates from client-side to server-side apply with the annotation of `kubectl apply`. */
import type { JsonObject, KubeObject } from '../interface.js';
import { goJson, sortKeys } from '../../lib/go/go-text.js';
import { parseJson } from '../../lib/json/json.js';
import type { Schema } from '../codec/interface.js';
import { difference, emptySet, unionOfSets, type FieldSet } from './typed/field-set.js';
import { isObject } from './json.js';
import { objectShape } from './typed/shape.js';
import { compareTyped } from './typed/typed-compare.js';
import { fieldsOf } from './typed/typed-fields.js';
import { typedFault } from './typed/typed-validate.js';

export const lastAppliedAnnotation = 'kubectl.kubernetes.io/last-applied-configuration';
/** The only manager that the annotation is used for. */
export const kubectlManager = 'kubectl';
const maxAnnotationBytes = 256 * 1024;

/** Parses the annotation; undefined if it is not a JSON object, since every client can write it. */
function parsed(text: string): JsonObject | undefined {
  try {
    const value = parseJson(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Returns the fields that were applied client-side and still have the applied value: an apply by kubectl may take them over. The set is
 * empty without an annotation, or with one of another version.
 * as apimachinery/pkg/util/managedfields/internal allowedConflictsFromLastApplied
 */
export function fieldsOfLastApplied(live: KubeObject, schema: Schema, version: string): FieldSet {
  const applied = parsed(live.metadata.annotations?.[lastAppliedAnnotation] ?? '');
  const shape = objectShape(schema);
  if (applied?.apiVersion !== version) return emptySet;
  if (typedFault(applied, shape) !== undefined || typedFault(live, shape) !== undefined) return emptySet;
  const { added, modified, removed } = compareTyped(applied, live, shape);
  return difference(fieldsOf(applied, shape), unionOfSets(unionOfSets(added, modified), removed));
}

/** Returns the object with its annotation, if it has one, set to the applied object; without it if the annotations would be too large. */
export function withLastApplied(object: KubeObject, applied: KubeObject): KubeObject {
  const annotations = object.metadata.annotations;
  if (!annotations?.[lastAppliedAnnotation]) return object;
  const { [lastAppliedAnnotation]: _, ...others } = annotations;
  const configuration: KubeObject = { ...applied, metadata: { ...applied.metadata } };
  if (configuration.metadata.annotations) {
    const { [lastAppliedAnnotation]: __, ...rest } = configuration.metadata.annotations;
    configuration.metadata.annotations = rest;
  }
  const text = `${goJson(sortKeys(configuration))}\n`;
  if (annotations[lastAppliedAnnotation] === text) return object;
  const next: Record<string, string> = { ...others, [lastAppliedAnnotation]: text };
  const bytes = Object.entries(next).reduce((sum, [k, v]) => sum + Buffer.byteLength(k) + Buffer.byteLength(v), 0);
  return { ...object, metadata: { ...object.metadata, annotations: bytes > maxAnnotationBytes ? others : next } };
}
