/** Migrates from client-side to server-side apply, by the annotation that `kubectl apply` leaves. */
import type { JsonObject, KubeObject } from '../interface.js';
import { goJson, sortKeys } from '../../lib/go/go-text.js';
import { parseJson } from '../../lib/json/json.js';
import type { Schema } from '../codec/interface.js';
import { difference, emptySet, union, type FieldSet } from './typed/field-set.js';
import { isObject } from './json.js';
import { objectShape } from './typed/shape.js';
import { compareTyped } from './typed/typed-compare.js';
import { fieldsOf } from './typed/typed-fields.js';
import { typedFault } from './typed/typed-validate.js';

export const lastAppliedAnnotation = 'kubectl.kubernetes.io/last-applied-configuration';
/** The only manager for which the annotation counts. */
export const kubectlManager = 'kubectl';
const maxAnnotationBytes = 256 * 1024;

/** Anybody can write the annotation: undefined for what kubectl did not. */
function parsed(text: string): JsonObject | undefined {
  try {
    const value = parseJson(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The fields that were applied client-side and still hold what was applied: an apply by kubectl may take them from others. Empty when
 * there is no annotation, or one of another version.
 * as apimachinery/pkg/util/managedfields/internal allowedConflictsFromLastApplied
 */
export function fieldsOfLastApplied(live: KubeObject, schema: Schema, version: string): FieldSet {
  const applied = parsed(live.metadata.annotations?.[lastAppliedAnnotation] ?? '');
  const shape = objectShape(schema);
  if (applied?.apiVersion !== version) return emptySet;
  if (typedFault(applied, shape) !== undefined || typedFault(live, shape) !== undefined) return emptySet;
  const { added, modified, removed } = compareTyped(applied, live, shape);
  return difference(fieldsOf(applied, shape), union(union(added, modified), removed));
}

/** The object with its annotation, if it has one, saying what was applied now; without it when all would be too large. */
export function withLastApplied(object: KubeObject, applied: KubeObject): KubeObject {
  const annotations = object.metadata.annotations;
  if (!annotations?.[lastAppliedAnnotation]) return object;
  const { [lastAppliedAnnotation]: _, ...others } = annotations;
  const said: KubeObject = { ...applied, metadata: { ...applied.metadata } };
  if (said.metadata.annotations) {
    const { [lastAppliedAnnotation]: __, ...rest } = said.metadata.annotations;
    said.metadata.annotations = rest;
  }
  const text = `${goJson(sortKeys(said))}\n`;
  if (annotations[lastAppliedAnnotation] === text) return object;
  const next: Record<string, string> = { ...others, [lastAppliedAnnotation]: text };
  const bytes = Object.entries(next).reduce((sum, [k, v]) => sum + Buffer.byteLength(k) + Buffer.byteLength(v), 0);
  return { ...object, metadata: { ...object.metadata, annotations: bytes > maxAnnotationBytes ? others : next } };
}
