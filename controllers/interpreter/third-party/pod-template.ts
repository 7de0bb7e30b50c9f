import { canonical } from '../../../apimachinery/codec/canonical.js';
import { DecodeError } from '../../../apimachinery/codec/decode-error.js';
import type { JsonObject } from '../../../apimachinery/interface.js';
import type { Schema } from '../../../apimachinery/codec/interface.js';
import type { ReplicaRequirements } from '../../../api/karmada/types.js';
import { ExpectedError } from '../../../lib/logging/cause.js';
import { nativeSchemaFor } from '../../../openapi/facts/native-schemas.js';
import type { DependentReference } from '../interface.js';
import { podDependencies } from '../native/dependencies.js';
import type { InterpretedPodSpec } from '../native/pod.js';
import { replicaRequirements } from '../native/requirements.js';
import { mapOf } from './read.js';
import { withoutEmpty } from './without-empty.js';

function templateSchema(): Schema {
  const schema = nativeSchemaFor({ group: '', version: 'v1', kind: 'PodTemplate' })?.properties?.['template'];
  if (!schema) throw new Error('there is no schema of PodTemplate');
  return schema;
}

const decoded = (template: JsonObject): InterpretedPodSpec =>
  canonical<{ spec?: InterpretedPodSpec }>(template, templateSchema(), { shareCanonical: true }).object.spec ?? {};

/**
 * Returns the spec of a pod template in a custom resource, whose API server need not have validated it. Throws if it is no pod template.
 * as pkg/resourceinterpreter/customized/declarative/luavm ConvertLuaResultInto
 */
function podSpecOf(template: unknown): InterpretedPodSpec {
  const map = mapOf(template, 'the pod template');
  try {
    return decoded(map);
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
  }
  try {
    return decoded(withoutEmpty(map)); // An empty list may stand for an empty object, since Lua has one empty table for both.
  } catch (error) {
    if (error instanceof DecodeError) throw new ExpectedError(`the pod template cannot be read: ${error.message}`);
    throw error;
  }
}

/** Returns what one pod of the template requires; undefined if nothing. Throws if the value is no pod template. */
export const templateRequirements = (template: unknown): ReplicaRequirements | undefined =>
  replicaRequirements(podSpecOf(template));

/** Returns what a pod of the template cannot start without. Throws if the value is no pod template. as luavm getPodDependencies */
export const templateDependencies = (template: unknown, namespace = 'default'): DependentReference[] =>
  podDependencies(podSpecOf(template), namespace);
