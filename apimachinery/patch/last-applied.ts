/** Migrates from client-side to server-side apply with the annotation of `kubectl apply`. */
import type { JsonObject, KubeObject } from '../interface.js';
import { sortInSteps } from '../../lib/collections/sort-in-steps.js';
import { goJson } from '../../lib/go/go-text.js';
import { exactSteps } from '../../lib/json/parse-steps.js';
import type { InSteps } from '../../lib/time-slice.js';
import type { Schema } from '../codec/interface.js';
import { emptySet, type FieldSet } from './typed/field-set.js';
import { differenceInSteps, newStrides, unionOfInSteps } from './typed/field-set-steps.js';
import { isObject } from './json.js';
import { objectShape } from './typed/shape.js';
import { compareInSteps } from './typed/typed-compare-steps.js';
import { fieldsInSteps } from './typed/typed-fields-steps.js';
import { typedFaultInSteps } from './typed/typed-validate.js';
import { compareTexts } from '../../lib/collections/compare-texts.js';

export const lastAppliedAnnotation = 'kubectl.kubernetes.io/last-applied-configuration';
/** The only manager that the annotation is used for. */
export const kubectlManager = 'kubectl';
const maxAnnotationBytes = 256 * 1024;

/** Parses the annotation; undefined if it is not a JSON object, since every client can write it. */
function* parsed(text: string): InSteps<JsonObject | undefined> {
  try {
    const value = yield* exactSteps(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Returns the fields that were applied client-side and still have the applied value: an apply by kubectl may take them over. The set is
 * empty without an annotation, or with one of another version. In steps for all objects: only applies with conflicts need it.
 * as apimachinery/pkg/util/managedfields/internal allowedConflictsFromLastApplied
 */
export function* fieldsOfLastApplied(live: KubeObject, schema: Schema, version: string): InSteps<FieldSet> {
  const text = live.metadata.annotations?.[lastAppliedAnnotation];
  const applied = text === undefined ? undefined : yield* parsed(text);
  const shape = objectShape(schema);
  if (applied?.apiVersion !== version) return emptySet;
  if ((yield* typedFaultInSteps(applied, shape)) !== undefined) return emptySet;
  if ((yield* typedFaultInSteps(live, shape)) !== undefined) return emptySet;
  const { added, modified, removed } = yield* compareInSteps(applied, live, shape);
  const changed = yield* unionOfInSteps([added, modified, removed]);
  return yield* differenceInSteps(yield* fieldsInSteps(applied, shape), changed);
}

/** Keys of an object from which on they are sorted in steps. */
const manyKeys = 1024;

/** Copies a value with the keys of its objects sorted, as `sortKeys` does, but in steps, and only if its JSON may be short enough. */
class SortedCopy {
  readonly #strides = newStrides();
  /** The bytes that the JSON of the rest may have. */
  #left: number;

  constructor(maxBytes: number) {
    this.#left = maxBytes;
  }

  /** Whether the JSON is certainly too long. The copy is not complete then. */
  get isTooLong(): boolean {
    return this.#left < 0;
  }

  *of(value: unknown): InSteps<unknown> {
    if (Array.isArray(value)) return yield* this.#list(value);
    if (isObject(value)) return yield* this.#map(value);
    this.#left -= typeof value === 'string' ? value.length + 2 : 1;
    return value;
  }

  *#list(list: readonly unknown[]): InSteps<unknown[]> {
    const out: unknown[] = [];
    for (const item of list) {
      if (this.#strides.isOver) yield;
      if (this.isTooLong) break;
      out.push(yield* this.of(item));
    }
    return out;
  }

  *#map(map: JsonObject): InSteps<JsonObject> {
    const keys = Object.keys(map);
    const sorted = keys.length > manyKeys ? yield* sortInSteps(keys, compareTexts) : keys.sort();
    const out = Object.create(null) as JsonObject;
    for (const key of sorted) {
      if (this.#strides.isOver) yield;
      if (this.isTooLong) break;
      const value = map[key];
      if (value === undefined) continue;
      this.#left -= key.length + 3;
      out[key] = yield* this.of(value);
    }
    return out;
  }
}

/** Returns the text of the annotation for an applied object; undefined if it would be too long. */
function* annotationText(applied: KubeObject): InSteps<string | undefined> {
  const configuration: KubeObject = { ...applied, metadata: { ...applied.metadata } };
  if (configuration.metadata.annotations) {
    const { [lastAppliedAnnotation]: _, ...rest } = configuration.metadata.annotations;
    configuration.metadata.annotations = rest;
  }
  const copy = new SortedCopy(maxAnnotationBytes);
  const sorted = yield* copy.of(configuration);
  if (copy.isTooLong) return undefined;
  yield;
  return `${goJson(sorted)}\n`;
}

/** Returns the object with its annotation, if it has one, set to the applied object; without it if the annotations would be too large. */
export function* withLastApplied(object: KubeObject, applied: KubeObject): InSteps<KubeObject> {
  const annotations = object.metadata.annotations;
  if (!annotations?.[lastAppliedAnnotation]) return object;
  const { [lastAppliedAnnotation]: before, ...others } = annotations;
  const text = yield* annotationText(applied);
  if (before === text) return object;
  if (text === undefined) return withAnnotations(object, others);
  const next: Record<string, string> = { ...others, [lastAppliedAnnotation]: text };
  const bytes = Object.entries(next).reduce((sum, [k, v]) => sum + Buffer.byteLength(k) + Buffer.byteLength(v), 0);
  return withAnnotations(object, bytes > maxAnnotationBytes ? others : next);
}

const withAnnotations = (object: KubeObject, annotations: Record<string, string>): KubeObject => ({
  ...object,
  metadata: { ...object.metadata, annotations },
});
