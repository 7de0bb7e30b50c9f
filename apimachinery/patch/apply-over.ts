/** Applies an object over another without ownership of fields: fields that it leaves out are not removed. */
import type { KubeObject } from '../interface.js';
import type { Schema } from '../codec/interface.js';
import { isObject } from './json.js';
import type { InSteps, Strides } from '../../lib/time-slice.js';
import { newStrides } from './typed/field-set-steps.js';
import { type Shape, objectShape } from './typed/shape.js';
import { mergeInSteps } from './typed/typed-merge.js';
import { typedFaultInSteps } from './typed/typed-validate.js';

/** Adds the paths of the atomic lists and maps that a value sets. Applying them would replace them as a whole. */
function* addAtomics(found: string[], value: unknown, shape: Shape, path: string, strides: Strides): InSteps<void> {
  if (Array.isArray(value) && shape.list) {
    const { list } = shape;
    if (list.atomic) found.push(path);
    for (const [i, item] of value.entries()) {
      if (strides.isOver) yield;
      if (typeof item === 'object') yield* addAtomics(found, item, list.element(), `${path}[${i}]`, strides);
    }
  } else if (isObject(value) && shape.map) {
    const { map } = shape;
    if (map.atomic) found.push(path);
    for (const name of Object.keys(value)) {
      if (strides.isOver) yield;
      const field = map.field(name);
      if (field && typeof value[name] === 'object')
        yield* addAtomics(found, value[name], field, `${path}.${name}`, strides);
    }
  }
}

/**
 * Returns the live object merged with the applied one, in steps; both have the type of the schema. Throws a plain Error with upstream's text.
 * as apiserver/pkg/admission/plugin/policy/mutating/patch ApplyStructuredMergeDiff
 */
export function* applyOver(live: KubeObject, applied: KubeObject, schema: Schema): InSteps<KubeObject> {
  const shape = objectShape(schema);
  const fault = yield* typedFaultInSteps(applied, shape);
  if (fault !== undefined) throw new Error(`failed to convert patch object to typed object: ${fault}`);
  const atomics: string[] = [];
  yield* addAtomics(atomics, applied, shape, '', newStrides());
  if (atomics.length > 0)
    throw new Error(`invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: ${atomics.join(', ')}`);
  const before = yield* typedFaultInSteps(live, shape, 'allowed');
  if (before !== undefined) throw new Error(`failed to convert original object to typed object: ${before}`);
  return (yield* mergeInSteps(live, applied, shape)) as KubeObject;
}
