import type { JsonObject, KubeObject } from '../../../apimachinery/interface.js';
import { annotations } from '../../../api/karmada/well-known.js';
import { fieldAt, fieldIfAny } from './read.js';
import { toNumber } from './values.js';
import { withoutEmpty } from './without-empty.js';

/** Returns a reflection of the named fields of the status. An object without a status has an empty one. */
export const reflectFields =
  (fields: readonly string[]) =>
  (object: KubeObject): JsonObject => {
    if (fieldAt(object, 'status') === undefined) return {};
    return withoutEmpty(Object.fromEntries(fields.map(field => [field, fieldAt(object, 'status', field)])));
  };

/** As `reflectFields`, with the generations for which the status holds: that of the member's object, and that of the template. */
export const reflectGenerations = (fields: readonly string[]): ((object: KubeObject) => JsonObject) => {
  const reflect = reflectFields(fields);
  return object => {
    if (fieldAt(object, 'status') === undefined) return {};
    const generation = fieldIfAny(object, 'metadata', 'generation');
    const resourceTemplateGeneration = templateGeneration(object);
    return {
      ...reflect(object),
      ...(generation !== undefined && { generation }),
      ...(resourceTemplateGeneration !== undefined && { resourceTemplateGeneration }),
    };
  };
};

/** Returns the generation of the template in the object's annotations; undefined if there is none, or if it is no number. */
const templateGeneration = ({ metadata }: KubeObject): number | undefined =>
  toNumber(fieldIfAny(metadata, 'annotations', annotations.templateGeneration));
