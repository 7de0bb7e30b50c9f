/** The objects of a request in the versions that webhooks and policies want them in. */
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

type Spoken = Place & { readonly version: string };

function versionOf({ definition, version }: Spoken): VersionDefinition {
  const found = definition.versions.find(({ name }) => name === version);
  if (!found) throw new Error(`${definition.plural} has no version ${version}`);
  return found;
}

const callOf = (place: Spoken) => ({
  definition: place.definition,
  version: versionOf(place),
  subresource: place.subresource,
});

/** Is it the object itself, and no Scale or other view of it? */
const isWhole = (place: Spoken): boolean => (partOf(place)?.type ?? 'part') === 'part';

const failed = (error: unknown): Error => internal(errorText(error));

/** An object in the version of a place; a copy. */
async function viewOf(place: Spoken, object: KubeObject): Promise<KubeObject> {
  if (!isWhole(place) || object.kind !== place.definition.kind) return object;
  try {
    const speaks = { definition: place.definition, version: versionOf(place) };
    if (place.definition.rules !== 'spoken') return await toRequestedVersion(speaks, object);
    return canonicalObject(speaks.definition, speaks.version.schema, await inVersion(speaks, object));
  } catch (error) {
    throw failed(error);
  }
}

export interface Views {
  object(place: Spoken): Promise<KubeObject | undefined>;
  old(place: Spoken): Promise<KubeObject | undefined>;
}

const nobody = Promise.resolve(undefined);

/** Of what does not change any more; each version is made once. */
export function viewsOf(request: AdmissionRequest): Views {
  const made = new Map<string, Promise<KubeObject>>();
  const view = (which: 'object' | 'old', place: Spoken): Promise<KubeObject | undefined> => {
    const given = request[which];
    if (!given) return nobody;
    const key = `${which} ${place.definition.group}/${place.version}`;
    const known = made.get(key) ?? viewOf(place, given);
    made.set(key, known);
    return known;
  };
  return { object: place => view('object', place), old: place => view('old', place) };
}

/** The draft of a request while it is changed, in whatever version it is asked for. */
export interface Draft extends Views {
  /** As it stands, in some version. */
  current(): KubeObject | undefined;
  /** A new state, decoded and completed, in the version of the place. `floats`: where whole numbers of it are floats; absent: where they were. */
  put(place: Spoken, object: KubeObject, floats?: Floats): void;
  /** The request has the new state. */
  settle(): Promise<void>;
}

export function draftOf(request: AdmissionRequest): Draft {
  const views = viewsOf(request);
  let floating: Floats | undefined;
  let at: { readonly place: Spoken; readonly object: KubeObject; readonly dirty: boolean } | undefined;

  async function settle(): Promise<void> {
    if (!at?.dirty || !request.object) return;
    const { place, object } = at;
    at = undefined;
    request.floats = floating;
    try {
      const whole = isWhole(place) && object.kind === place.definition.kind;
      replace(request.object, whole ? await asGiven(request, place, object) : object);
    } catch (error) {
      throw failed(error);
    }
  }

  return {
    current: () => at?.object ?? request.object,
    async object(place) {
      if (!request.object) return undefined;
      if (at && at.place.definition === place.definition && at.place.version === place.version) return at.object;
      await settle();
      at = { place, object: await viewOf(place, request.object), dirty: false };
      return at.object;
    },
    old: views.old,
    put(place, object, floats) {
      floating = floats ?? floating;
      at = { place, object, dirty: true };
    },
    settle,
  };
}

/** In the version that the rules see it in. */
async function asGiven(
  { definition, version }: AdmissionRequest,
  place: Spoken,
  object: KubeObject,
): Promise<KubeObject> {
  if (definition.rules === 'spoken')
    return inVersion({ definition, version: versionOf({ ...place, version }) }, object);
  return toInternalVersion({ definition: place.definition, version: versionOf(place) }, object);
}

/** What somebody else made of an object, in the form of its type and complete; a copy. Throws 400 for what does not fit. */
export function adopted(place: Spoken, object: KubeObject): KubeObject {
  if (partOf(place)?.type === 'connect') return object;
  const call = callOf(place);
  const { kind, group, version } = kindOf(place);
  const typed = { ...object, kind, apiVersion: group === '' ? version : `${group}/${version}` };
  const decoded = decodeLoose(call, typed);
  return isWhole(place) ? completeDraft(call, decoded) : decoded;
}

export interface Adopted {
  readonly object: KubeObject;
  /** Where whole numbers of it are floats; absent: where they were. */
  readonly floats?: Floats;
}

/** What is read of a JSON patch's result. */
export interface Reading {
  /** Whether it may hold Literals. */
  readonly literals: boolean;
  /** Whether fields that nobody knows are refused, as by policies; webhooks lose them. */
  readonly strict: boolean;
}

/** The same of what a JSON patch made of it, read as its text would be. Throws DecodeError. */
export function adoptedPatch(place: Spoken, result: KubeObject, { literals, strict }: Reading): Adopted {
  const { object, unknown, floats } = decodeAdmitted(targetOf(place), result, literals);
  if (strict && unknown.length > 0) throw new DecodeError(`strict decoding error: ${unknown.join(', ')}`);
  const complete = isWhole(place) ? completeDraft(callOf(place), object) : object;
  return { object: complete, ...(floats && { floats }) };
}

function targetOf(place: Spoken): AdmittedTarget {
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
