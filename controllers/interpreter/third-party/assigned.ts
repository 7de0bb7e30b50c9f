import type { KubeObject } from '../../../apimachinery/interface.js';
import { withValue } from '../native/object.js';
import { fieldAt, mapOf } from './read.js';

/** Returns a copy with the value at the path. Throws if its parent is no object. */
export function assigned(object: KubeObject, path: readonly string[], value: unknown): KubeObject {
  const parent = path.slice(0, -1);
  mapOf(fieldAt(object, ...parent), parent.join('.'));
  return withValue(object, path, value);
}
