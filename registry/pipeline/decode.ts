/** What the edges of the pipeline make of the objects they are given. */
import type { KubeObject } from '../../openapi/interface.js';
import { cloneJson } from '../../openapi/meta/clone.js';
import type { Patch } from '../interface.js';
import type { Call, FieldValidation } from './interface.js';

/** A copy of a caller's object in the form in which a client's text arrives: only known fields, nothing undefined. */
export function decodeLoose(_call: Call, object: KubeObject): KubeObject {
  return cloneJson(object);
}

/** The result of a patch, its own, as if its text had arrived. */
export function decodePatched(_call: Call, object: KubeObject, _body: Patch, _validation: FieldValidation): KubeObject {
  return object;
}

/** Fills what the object leaves out, in place, in the version it is written in. */
export function completeDraft({ definition, version }: Call, draft: KubeObject): KubeObject {
  definition.defaults?.(draft, version.name);
  return draft;
}
