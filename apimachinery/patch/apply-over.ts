/** Applies an object over another without ownership of fields: fields that it leaves out are not removed. */
import type { KubeObject } from '../interface.js';
import type { Schema } from '../codec/interface.js';
import { isObject } from './json.js';
import { type Shape, objectShape } from './typed/shape.js';
import { mergeTyped } from './typed/typed-merge.js';
import { typedFault } from './typed/typed-validate.js';

/** Returns the paths of the atomic lists and maps that a value sets. Applying them would replace them as a whole. */
function atomicsIn(value: unknown, shape: Shape, path: string): string[] {
  if (Array.isArray(value) && shape.list) {
    const { list } = shape;
    const self = list.atomic ? [path] : [];
    return [...self, ...value.flatMap((item, i) => atomicsIn(item, list.element(), `${path}[${i}]`))];
  }
  if (!isObject(value) || !shape.map) return [];
  const { map } = shape;
  const inner = Object.keys(value).flatMap(name => {
    const field = map.field(name);
    return field ? atomicsIn(value[name], field, `${path}.${name}`) : [];
  });
  return map.atomic ? [path, ...inner] : inner;
}

/** Returns the live object merged with the applied one; both have the type of the schema. Throws a plain Error with upstream's text. */
// as apiserver/pkg/admission/plugin/policy/mutating/patch ApplyStructuredMergeDiff
export function applyOver(live: KubeObject, applied: KubeObject, schema: Schema): KubeObject {
  const shape = objectShape(schema);
  const fault = typedFault(applied, shape);
  if (fault !== undefined) throw new Error(`failed to convert patch object to typed object: ${fault}`);
  const atomics = atomicsIn(applied, shape, '');
  if (atomics.length > 0)
    throw new Error(`invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: ${atomics.join(', ')}`);
  const before = typedFault(live, shape, 'allowed');
  if (before !== undefined) throw new Error(`failed to convert original object to typed object: ${before}`);
  return mergeTyped(live, applied, shape) as KubeObject;
}
