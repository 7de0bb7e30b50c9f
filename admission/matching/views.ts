/** The objects of a request in the versions of the matching webhooks and policies. */
import { nativeSchemaFor } from '../../openapi/facts/native-schemas.js';
import type { KubeObject } from '../../apimachinery/interface.js';
import { setKey } from '../../lib/json/clone.js';
import { type InSteps, inTimeSlices } from '../../lib/time-slice.js';
import { errorText } from '../../apimachinery/errors/error-text.js';
import { internal } from '../../apimachinery/errors/status.js';
import { DecodeError } from '../../apimachinery/codec/decode-error.js';
import type { Floats } from '../../apimachinery/codec/floats.js';
import { bodySchema, completeDraftSteps, decodeLooseSteps } from '../../registry/pipeline/decode.js';
import { type AdmittedTarget, decodeAdmittedSteps } from '../../registry/pipeline/decode-patched.js';
import { canonicalSteps } from '../../registry/pipeline/stored/layout.js';
import { inVersion, toRequestedVersion, toInternalVersion } from '../../registry/pipeline/stored/versions.js';
import type { VersionDefinition } from '../../registry/interface.js';
import type { AdmissionRequest } from '../../registry/admission-plugin.js';
import { type RequestTarget, kindOfTarget, partOf } from './request-target.js';

type VersionedTarget = RequestTarget & { readonly version: string };

function versionOf({ definition, version }: VersionedTarget): VersionDefinition {
  const found = definition.versions.find(({ name }) => name === version);
  if (!found) throw new Error(`${definition.plural} has no version ${version}`);
  return found;
}

const callOf = (target: VersionedTarget) => ({
  definition: target.definition,
  version: versionOf(target),
  subresource: target.subresource,
});

/** Reports whether the request's object is the resource itself, and not a Scale or another kind. */
const isWhole = (target: VersionedTarget): boolean => (partOf(target)?.type ?? 'part') === 'part';

const failed = (error: unknown): Error => internal(errorText(error));

/** Returns a copy of an object in the version of a target. */
async function viewOf(target: VersionedTarget, object: KubeObject): Promise<KubeObject> {
  if (!isWhole(target) || object.kind !== target.definition.kind) return object;
  try {
    const versioned = { definition: target.definition, version: versionOf(target) };
    if (target.definition.rulesVersion !== 'requested') return await toRequestedVersion(versioned, object);
    const converted = await inVersion(versioned, object);
    return await inTimeSlices(canonicalSteps(versioned.definition, versioned.version.schema, converted));
  } catch (error) {
    throw failed(error);
  }
}

export interface Views {
  object(target: VersionedTarget): Promise<KubeObject | undefined>;
  readonly old: (target: VersionedTarget) => Promise<KubeObject | undefined>;
}

const none = Promise.resolve(undefined);

/** Returns views of a request whose objects do not change any more; each version is converted once. */
export function viewsOf(request: AdmissionRequest): Views {
  const converted = new Map<string, Promise<KubeObject>>();
  const view = (which: 'object' | 'old', target: VersionedTarget): Promise<KubeObject | undefined> => {
    const given = request[which];
    if (!given) return none;
    const key = `${which} ${target.definition.group}/${target.version}`;
    const known = converted.get(key) ?? viewOf(target, given);
    converted.set(key, known);
    return known;
  };
  return { object: target => view('object', target), old: target => view('old', target) };
}

/** The object of a request while mutations change it, in any version. */
export interface RequestDraft extends Views {
  /** Returns the current state in any version. */
  current(): KubeObject | undefined;
  /** Sets a new decoded and defaulted state in the version of the target. `floats`: paths of integral floats; absent if unchanged. */
  put(target: VersionedTarget, object: KubeObject, floats?: Floats): void;
  /** Writes the new state into the request. */
  settle(): Promise<void>;
}

/** Returns the draft of a request. It converts the object only when another version is asked for; `settle` converts it back. */
export function draftOf(request: AdmissionRequest): RequestDraft {
  const views = viewsOf(request);
  let floating: Floats | undefined;
  let state: { readonly target: VersionedTarget; readonly object: KubeObject; readonly dirty: boolean } | undefined;

  async function settle(): Promise<void> {
    if (!state?.dirty || !request.object) return;
    const { target, object } = state;
    state = undefined;
    request.floats = floating;
    try {
      const whole = isWhole(target) && object.kind === target.definition.kind;
      replace(request.object, whole ? await toRulesVersion(request, target, object) : object);
    } catch (error) {
      throw failed(error);
    }
  }

  return {
    current: () => state?.object ?? request.object,
    async object(target) {
      if (!request.object) return undefined;
      if (state && state.target.definition === target.definition && state.target.version === target.version)
        return state.object;
      await settle();
      state = { target, object: await viewOf(target, request.object), dirty: false };
      return state.object;
    },
    old: views.old,
    put(target, object, floats) {
      floating = floats ?? floating;
      state = { target, object, dirty: true };
    },
    settle,
  };
}

/** Converts an object to the version for which the rules of the kind are written. */
async function toRulesVersion(
  { definition, version }: AdmissionRequest,
  target: VersionedTarget,
  object: KubeObject,
): Promise<KubeObject> {
  if (definition.rulesVersion === 'requested')
    return inVersion({ definition, version: versionOf({ ...target, version }) }, object);
  return toInternalVersion({ definition: target.definition, version: versionOf(target) }, object);
}

/** Returns a copy of a mutated object, decoded and defaulted, in steps. Throws 400 if it does not match its type. */
export function* completeMutatedSteps(target: VersionedTarget, object: KubeObject): InSteps<KubeObject> {
  if (partOf(target)?.type === 'connect') return object;
  const call = callOf(target);
  const { kind, group, version } = kindOfTarget(target);
  const typed = { ...object, kind, apiVersion: group === '' ? version : `${group}/${version}` };
  const decoded = yield* decodeLooseSteps(call, typed);
  return isWhole(target) ? yield* completeDraftSteps(call, decoded) : decoded;
}

export interface MutatedObject {
  readonly object: KubeObject;
  /** Paths of integral floats; absent if unchanged. */
  readonly floats?: Floats;
}

/** How the result of a JSON patch is decoded. */
interface DecodeMode {
  /** The result may hold Literals. */
  readonly literals: boolean;
  /** Unknown fields are refused, as for policies; for webhooks they are dropped. */
  readonly strict: boolean;
}

/** Returns the result of a JSON patch, decoded as its text would be, and defaulted, in steps. Throws DecodeError. */
export function* completePatchedSteps(
  target: VersionedTarget,
  result: KubeObject,
  { literals, strict }: DecodeMode,
): InSteps<MutatedObject> {
  const { object, unknown, floats } = yield* decodeAdmittedSteps(decodeTargetOf(target), result, literals);
  if (strict && unknown.length > 0) throw new DecodeError(`strict decoding error: ${unknown.join(', ')}`);
  const complete = isWhole(target) ? yield* completeDraftSteps(callOf(target), object) : object;
  return { object: complete, ...(floats && { floats }) };
}

function decodeTargetOf(target: VersionedTarget): AdmittedTarget {
  const { definition } = target;
  const { kind, group, version } = kindOfTarget(target);
  const call = callOf(target);
  const body = partOf(target)?.type === 'connect' ? nativeSchemaFor({ group, version, kind }) : bodySchema(call, kind);
  return {
    ...{ group, kind, apiVersion: group === '' ? version : `${group}/${version}` },
    schema: body ?? call.version.schema,
    keys: body ? 'declared' : definition.wire.keys,
    convert: object => (body ? object : (inVersion(call, object) as KubeObject)),
  };
}

function replace(target: KubeObject, source: KubeObject): void {
  if (target === source) return;
  for (const key of Object.keys(target)) if (!Object.hasOwn(source, key)) delete target[key];
  for (const key of Object.keys(source)) setKey(target, key, source[key]);
}
