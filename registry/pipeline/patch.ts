import type { KubeObject } from '../../apimachinery/interface.js';
import { type Maybe, andThen } from '../../lib/maybe.js';
import type { InSteps } from '../../lib/time-slice.js';
import { conflict, notFound } from '../../apimachinery/errors/status.js';
import { checkApplied } from '../../apimachinery/patch/apply.js';
import { withoutManagedFields } from '../../apimachinery/patch/empty-object.js';
import { type JsonPatchOp, jsonPatchSteps } from '../../apimachinery/patch/json-patch.js';
import { withLiterals } from '../../apimachinery/patch/literals.js';
import { mergePatchSteps } from '../../apimachinery/patch/merge-patch.js';
import { strategicMergeSteps } from '../../apimachinery/patch/strategic/strategic.js';
import type { Pause } from '../../apimachinery/patch/patch-steps.js';
import type { Schema } from '../../apimachinery/codec/interface.js';
import { containsRawExtension } from '../../apimachinery/codec/verbatim-json.js';
import type { Patch } from '../../client/interface.js';
import type { PipelineDeps } from './context.js';
import { completeDraft, decodeApplied } from './decode.js';
import { decodePatchedSteps, type PatchedObject, type PatchTarget, patchTarget } from './decode-patched.js';
import type { RequestScope, PatchParameters, WriteParameters } from './interface.js';
import { stepsOf } from './pause.js';
import { type Modification, type Modified, modify } from './modify.js';
import { ownApply, ownUpdate, withManagedFields } from './ownership.js';
import { groupResourceOf } from '../group-resource.js';

/** Patches an object, with any type of patch. */
export function patch(
  deps: PipelineDeps,
  call: RequestScope,
  name: string,
  body: Patch,
  write: PatchParameters,
): Promise<Modified> {
  if (body.type === 'apply') return applyObject(deps, call, name, body, write);
  const change: Modification = {
    creates: false,
    build(live: KubeObject | undefined, pause?: Pause): Maybe<KubeObject> {
      if (!live) throw notFound(groupResourceOf(call), name);
      return andThen(stepsOf(call, patchAndDecode(patchTarget(call), live, body, write)), ({ object, floats }) => {
        change.floats = floats;
        const tracked = (complete: KubeObject): Maybe<KubeObject> => ownUpdate(deps, call, live, complete, pause);
        return andThen(pause?.(), () => andThen(completeDraft(call, object), tracked));
      });
    },
  };
  return modify(deps, call, name, change, write);
}

type Change = Exclude<Patch, { type: 'apply' }>;

/** Returns the decoded result of a patch, in steps, for objects and patches that may be large. */
export function* patchAndDecode(
  target: PatchTarget,
  live: KubeObject,
  body: Change,
  { fieldValidation }: PatchParameters,
): InSteps<PatchedObject> {
  const texts = textsOf(body, live, target);
  const patched = yield* patchedSteps(body, texts, target.schema);
  yield;
  const parsed = texts === live ? body : { ...body, literals: true };
  return yield* decodePatchedSteps(target, patched, live, parsed, fieldValidation);
}

/** Returns the object to patch, with raw JSON unfolded for JSON patches and merge patches, which change the text of an object. */
const textsOf = ({ type }: Patch, live: KubeObject, { keys, schema }: PatchTarget): KubeObject =>
  type !== 'strategic' && keys === 'declared' && containsRawExtension(schema) ? withLiterals(live) : live;

/** Returns the result of a patch, which shares its unchanged parts with the live object. */
export function* patchedSteps(body: Change, live: KubeObject, schema: Schema): InSteps<KubeObject> {
  switch (body.type) {
    case 'json':
      return (yield* jsonPatchSteps(live, body.patch as readonly JsonPatchOp[])) as KubeObject;
    case 'merge':
      return (yield* mergePatchSteps(live, body.patch)) as KubeObject;
    case 'strategic':
      return (yield* strategicMergeSteps(live, body.patch, schema)) as KubeObject;
  }
}

type Apply = Extract<Patch, { type: 'apply' }>;

function applyObject(
  deps: PipelineDeps,
  call: RequestScope,
  name: string,
  body: Apply,
  write: WriteParameters,
): Promise<Modified> {
  const { definition, version } = call;
  const applied = body.patch as KubeObject;
  checkApplied(applied, { group: definition.group, version: version.name, kind: definition.kind });
  const configuration = { applied, force: body.force ?? false };
  const change = {
    creates: call.subresource === '',
    async build(live: KubeObject | undefined, pause?: Pause): Promise<KubeObject> {
      if (!live && call.subresource !== '') throw notFound(groupResourceOf(call), name);
      const { object, managedFields } = await ownApply(deps, call, live, configuration, pause);
      if (pause) await pause();
      if (body.validationError) throw body.validationError;
      const { uid } = object.metadata;
      if (!live && uid) throw uidMismatch(call, name, uid);
      const decoded = await decodeApplied(call, withoutManagedFields(object), applied);
      if (pause) await pause();
      return withManagedFields(await completeDraft(call, decoded), managedFields);
    },
  };
  return modify(deps, call, name, change, write);
}

function uidMismatch(call: RequestScope, name: string, uid: string): Error {
  const text = `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`;
  return conflict(groupResourceOf(call), name, text);
}
