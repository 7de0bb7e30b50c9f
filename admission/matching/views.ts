/** The objects of a request in the versions of the matching webhooks and policies. */
import { nativeSchemaFor } from '../../openapi/facts/load.js';
import type { KubeObject } from '../../apimachinery/interface.js';
import { setKey } from '../../lib/json/clone.js';
import { errorText } from '../../apimachinery/errors/error-text.js';
import { internal } from '../../apimachinery/errors/status.js';
import { DecodeError } from '../../apimachinery/codec/decode-error.js';
import type { Floats } from '../../apimachinery/codec/floats.js';
import { bodySchema, completeDraft, decodeLoose } from '../../registry/pipeline/decode.js';
import { type AdmittedTarget, decodeAdmitted } from '../../registry/pipeline/decode-patched.js';
import { canonicalObject } from '../../registry/pipeline/stored/layout.js';
import { inVersion, toRequestedVersion, toInternalVersion } from '../../registry/pipeline/stored/versions.js';
import type { VersionDefinition } from '../../registry/interface.js';
import type { AdmissionRequest } from '../../registry/admission-plugin.js';
import { type Place, kindOf, partOf } from './place.js';

type VersionedPlace = Place & { readonly version: string };

function versionOf({ definition, version }: VersionedPlace): VersionDefinition {
  const found = definition.versions.find(({ name }) => name === version);
  if (!found) throw new Error(`${definition.plural} has no version ${version}`);
  return found;
}

const callOf = (place: VersionedPlace) => ({
  definition: place.definition,
  version: versionOf(place),
  subresource: place.subresource,
});

/** Reports whether the request's object is the resource itself, and not a Scale or another kind. */
const isWhole = (place: VersionedPlace): boolean => (partOf(place)?.type ?? 'part') === 'part';

const failed = (error: unknown): Error => internal(errorText(error));

/** Returns a copy of an object in the version of a place. */
async function viewOf(place: VersionedPlace, object: KubeObject): Promise<KubeObject> {
  if (!isWhole(place) || object.kind !== place.definition.kind) return object;
  try {
    const target = { definition: place.definition, version: versionOf(place) };
    if (place.definition.rules !== 'spoken') return await toRequestedVersion(target, object);
    return canonicalObject(target.definition, target.version.schema, await inVersion(target, object));
  } catch (error) {
    throw failed(error);
  }
}

export interface Views {
  object(place: VersionedPlace): Promise<KubeObject | undefined>;
  old(place: VersionedPlace): Promise<KubeObject | undefined>;
}

const none = Promise.resolve(undefined);

/** Returns views of a request whose objects do not change any more; each version is converted once. */
export function viewsOf(request: AdmissionRequest): Views {
  const converted = new Map<string, Promise<KubeObject>>();
  const view = (which: 'object' | 'old', place: VersionedPlace): Promise<KubeObject | undefined> => {
    const given = request[which];
    if (!given) return none;
    const key = `${which} ${place.definition.group}/${place.version}`;
    const known = converted.get(key) ?? viewOf(place, given);
    converted.set(key, known);
    return known;
  };
  return { object: place => view('object', place), old: place => view('old', place) };
}

/** The object of a request while mutations change it, in any version. */
export interface Draft extends Views {
  /** Returns the current state in any version. */
  current(): KubeObject | undefined;
  /** Sets a new decoded and defaulted state in the version of the place. `floats`: paths of integral floats; absent if unchanged. */
  put(place: VersionedPlace, object: KubeObject, floats?: Floats): void;
  /** Writes the new state into the request. */
  settle(): Promise<void>;
}

export function draftOf(request: AdmissionRequest): Draft {
  const views = viewsOf(request);
  let floating: Floats | undefined;
  let state: { readonly place: VersionedPlace; readonly object: KubeObject; readonly dirty: boolean } | undefined;

  async function settle(): Promise<void> {
    if (!state?.dirty || !request.object) return;
    const { place, object } = state;
    state = undefined;
    request.floats = floating;
    try {
      const whole = isWhole(place) && object.kind === place.definition.kind;
      replace(request.object, whole ? await toRulesVersion(request, place, object) : object);
    } catch (error) {
      throw failed(error);
    }
  }

  return {
    current: () => state?.object ?? request.object,
    async object(place) {
      if (!request.object) return undefined;
      if (state && state.place.definition === place.definition && state.place.version === place.version)
        return state.object;
      await settle();
      state = { place, object: await viewOf(place, request.object), dirty: false };
      return state.object;
    },
    old: views.old,
    put(place, object, floats) {
      floating = floats ?? floating;
      state = { place, object, dirty: true };
    },
    settle,
  };
}

/** Converts an object to the version in which rules see it. */
async function toRulesVersion(
  { definition, version }: AdmissionRequest,
  place: VersionedPlace,
  object: KubeObject,
): Promise<KubeObject> {
  if (definition.rules === 'spoken')
    return inVersion({ definition, version: versionOf({ ...place, version }) }, object);
  return toInternalVersion({ definition: place.definition, version: versionOf(place) }, object);
}

/** Returns a copy of a mutated object, decoded and defaulted. Throws 400 if it does not match its type. */
export function completeMutated(place: VersionedPlace, object: KubeObject): KubeObject {
  if (partOf(place)?.type === 'connect') return object;
  const call = callOf(place);
  const { kind, group, version } = kindOf(place);
  const typed = { ...object, kind, apiVersion: group === '' ? version : `${group}/${version}` };
  const decoded = decodeLoose(call, typed);
  return isWhole(place) ? completeDraft(call, decoded) : decoded;
}

export interface MutatedObject {
  readonly object: KubeObject;
  /** Paths of integral floats; absent if unchanged. */
  readonly floats?: Floats;
}

/** How the result of a JSON patch is decoded. */
export interface DecodeMode {
  /** The result may hold Literals. */
  readonly literals: boolean;
  /** Unknown fields are refused, as for policies; for webhooks they are dropped. */
  readonly strict: boolean;
}

/** Returns the result of a JSON patch, decoded as its text would be, and defaulted. Throws DecodeError. */
export function completePatched(
  place: VersionedPlace,
  result: KubeObject,
  { literals, strict }: DecodeMode,
): MutatedObject {
  const { object, unknown, floats } = decodeAdmitted(targetOf(place), result, literals);
  if (strict && unknown.length > 0) throw new DecodeError(`strict decoding error: ${unknown.join(', ')}`);
  const complete = isWhole(place) ? completeDraft(callOf(place), object) : object;
  return { object: complete, ...(floats && { floats }) };
}

function targetOf(place: VersionedPlace): AdmittedTarget {
  const { definition } = place;
  const { kind, group, version } = kindOf(place);
  const call = callOf(place);
  const body = partOf(place)?.type === 'connect' ? nativeSchemaFor({ group, version, kind }) : bodySchema(call, kind);
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
