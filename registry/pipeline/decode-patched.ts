/** Decodes the result of a patch as if its text had arrived in a request. */
import { convertibility, internalConvertibility } from '../../openapi/facts/convertibility.js';
import { nativeSchemaFor } from '../../openapi/facts/native-schemas.js';
import type { Fault, KubeObject } from '../../apimachinery/interface.js';
import { invalidValue } from '../../apimachinery/errors/faults.js';
import { escapeHtml, goQuote } from '../../lib/go/go-text.js';
import { type GroupVersion, readApiVersion } from '../../apimachinery/meta/gvk.js';
import { jsonText } from '../../lib/json/json.js';
import { type InSteps, atOnce } from '../../lib/time-slice.js';
import { invalid, patchedUndecodable } from '../../apimachinery/errors/status.js';
import { withoutManagedFields } from '../../apimachinery/patch/empty-object.js';
import { goValue } from '../../apimachinery/patch/go-value.js';
import { isObject } from '../../apimachinery/patch/json.js';
import { type JsonPatchOp, unknownJsonPatchFields } from '../../apimachinery/patch/json-patch.js';
import { readAsType, readUntypedSteps, readValues, withTexts } from '../../apimachinery/patch/literals.js';
import { restoreFault } from '../../apimachinery/patch/restore-fault.js';
import { DecodeError } from '../../apimachinery/codec/decode-error.js';
import type { Floats } from '../../apimachinery/codec/floats.js';
import type { Schema } from '../../apimachinery/codec/interface.js';
import { typeMetaOf } from '../../apimachinery/codec/type-meta.js';
import type { Patch } from '../../client/interface.js';
import type { WireTraits } from '../interface.js';
import { requestedApiVersion } from './stored/api-versions.js';
import { type Decoded, decodeRestoredSteps, decodeTypedSteps } from './decode.js';
import type { RequestScope, FieldValidation } from './interface.js';
import { inVersion } from './stored/versions.js';

type Change = Exclude<Patch, { type: 'apply' }>;

/** The type that the result of a patch must have. */
export interface PatchTarget {
  readonly group: string;
  readonly kind: string;
  readonly apiVersion: string;
  readonly schema: Schema;
  readonly keys: WireTraits['keys'];
  /** Converts an object of another version of the kind. */
  convert(object: KubeObject): KubeObject;
  warn(text: string): void;
}

/** Returns the type of the objects of a request. */
export const patchTarget = (call: RequestScope): PatchTarget => ({
  group: call.definition.group,
  kind: call.definition.kind,
  apiVersion: requestedApiVersion(call),
  schema: call.version.schema,
  keys: call.definition.wire.keys,
  // Built-in kinds are converted synchronously.
  convert: object => inVersion(call, object) as KubeObject,
  warn: text => call.warn(text),
});

interface Read extends Decoded {
  readonly floats?: Floats;
}

/** A patch and its result. */
interface Patched {
  readonly target: PatchTarget;
  readonly result: KubeObject;
  readonly live: KubeObject;
  readonly change: Change;
  /** Returns the text to decode, for errors. */
  readonly text: () => string;
}

export type PatchedObject = Pick<Read, 'object' | 'floats'>;

/**
 * Returns a copy of the result of a patch as if its text had arrived. `live` is the object before the patch. `floats` are the paths of integral
 * floats of a custom resource. Throws 422 if the result cannot be decoded, and for unknown fields with `Strict` validation.
 */
export const decodePatched = (...of: Parameters<typeof decodePatchedSteps>): PatchedObject =>
  atOnce(decodePatchedSteps(...of));

/** As `decodePatched`, in steps, for objects that may be large. */
export function* decodePatchedSteps(
  target: PatchTarget,
  result: KubeObject,
  live: KubeObject,
  change: Change,
  validation: FieldValidation,
): InSteps<PatchedObject> {
  const { type, patch } = change;
  const text = (): string => (type === 'strategic' ? goValue(patch) : escapeHtml(patchedText(result, live)));
  const refuse = (why: string): Error => patchedUndecodable(text(), why);
  const unknownOps =
    type === 'json' && validation !== 'Ignore' ? unknownJsonPatchFields(patch as readonly JsonPatchOp[]) : [];
  try {
    const read = yield* withSharedManagedFields(result, live, result => readBy({ target, result, live, change, text }));
    const found = type === 'strategic' ? [...read.unknown].sort() : [...unknownOps, ...read.unknown];
    if (found.length === 0 || validation === 'Ignore') return read;
    if (validation === 'Strict') throw refuse(`strict decoding error: ${found.join(', ')}`);
    for (const fault of found) target.warn(fault);
    return read;
  } catch (error) {
    if (error instanceof DecodeError) throw refuse(error.message);
    throw error;
  }
}

/** Decodes a result without copying the managedFields of the live object, which most patches do not change. They are half of many objects. */
function* withSharedManagedFields(
  result: KubeObject,
  live: KubeObject,
  read: (result: KubeObject) => InSteps<Read>,
): InSteps<Read> {
  const { managedFields } = live.metadata;
  if (managedFields === undefined || !isObject(result.metadata) || result.metadata.managedFields !== managedFields)
    return yield* read(result);
  const found = yield* read(withoutManagedFields(result));
  found.object.metadata.managedFields = managedFields;
  return found;
}

function* readBy(patched: Patched): InSteps<Read> {
  const { target, result, change } = patched;
  if (change.type === 'strategic') return yield* readMerged(patched);
  return yield* target.keys === 'sorted' ? readCustom(patched) : readNative(target, result, change.literals);
}

export type AdmittedTarget = Omit<PatchTarget, 'warn'>;

/** Returns a copy of the result of a JSON patch of admission. Throws DecodeError. */
export const decodeAdmitted = (...of: Parameters<typeof decodeAdmittedSteps>): Read =>
  atOnce(decodeAdmittedSteps(...of));

/** As `decodeAdmitted`, in steps, for objects that may be large. */
export function* decodeAdmittedSteps(target: AdmittedTarget, result: KubeObject, literals: boolean): InSteps<Read> {
  if (target.keys === 'sorted') {
    const { object, floats = [] } = literals ? yield* readUntypedSteps(result) : { object: result };
    return { ...(yield* decodeTypedSteps(ofKind(object, target), target.schema, target.keys)), floats };
  }
  const { apiVersion } = typeMetaOf(result);
  const named = apiVersion === '' ? { ...result, apiVersion: target.apiVersion } : result;
  return yield* readNative(target, named, literals);
}

type Typed = Pick<KubeObject, 'apiVersion' | 'kind'>;

const ofKind = (object: KubeObject, { apiVersion, kind }: Typed): KubeObject =>
  object.apiVersion === apiVersion && object.kind === kind ? object : { ...object, apiVersion, kind };

/** Decodes the result of a strategic merge patch, whose changes of apiVersion and kind are ignored. Throws DecodeError. */
function* readMerged({ target, result, live, change }: Patched): InSteps<Read> {
  const wrong = restoreFault(result, target.schema);
  if (wrong !== undefined) throw new DecodeError(wrong);
  yield;
  const typed = ofKind(change.literals ? readValues(result) : result, live);
  return yield* decodeRestoredSteps(typed, target.schema, target.keys);
}

/** Decodes the result of a patch of a custom resource. Throws DecodeError. */
function* readCustom({ target, result, live, change, text }: Patched): InSteps<Read> {
  const { object, floats } = change.literals ? yield* readUntypedSteps(result) : { object: result, floats: undefined };
  checkCustomType(target, object, live, text);
  return { ...(yield* decodeTypedSteps(object, target.schema, target.keys)), ...(floats && { floats }) };
}

/** Decodes a built-in kind as the type that its apiVersion and kind name, and converts it. Throws DecodeError. */
function* readNative(target: AdmittedTarget, result: KubeObject, literals = false): InSteps<Read> {
  const texts = literals ? withTexts(result) : result;
  if (literals) yield;
  const named = typeMetaOf(texts);
  const type = { apiVersion: named.apiVersion, kind: named.kind || target.kind };
  const readAs = (schema: Schema): InSteps<Decoded> =>
    decodeTypedSteps(ofKind(literals ? readAsType(texts, schema) : texts, type), schema, target.keys);
  if (type.apiVersion === target.apiVersion && type.kind === target.kind) return yield* readAs(target.schema);
  const { group, version } = groupVersionOf(type.apiVersion);
  if (version === '') return readInternal(target, texts, type.kind);
  const conversion = convertibility(type, target);
  if (conversion.type === 'unknown') throw new DecodeError(conversion.why);
  const schema = nativeSchemaFor({ group, version, kind: type.kind });
  if (conversion.type === 'other') {
    if (schema) yield* readAs(schema);
    throw new DecodeError(conversion.why);
  }
  // differs: removed versions have no schema here, and are decoded with the schema of the target, which is similar.
  const read = yield* readAs(schema ?? target.schema);
  return { ...read, object: target.convert(read.object) };
}

function groupVersionOf(apiVersion: string): GroupVersion {
  const found = readApiVersion(apiVersion);
  if (!found) throw new DecodeError(`unexpected GroupVersion string: ${apiVersion}`);
  return found;
}

/** Decodes an object without a version as the internal version, in which no field has its JSON name. */
// as apimachinery/pkg/runtime/serializer/json gvkWithDefaults
function readInternal(
  target: Pick<PatchTarget, 'group' | 'kind' | 'apiVersion'>,
  object: KubeObject,
  kind: string,
): Read {
  const { version = '' } = readApiVersion(target.apiVersion) ?? {};
  const conversion = internalConvertibility(kind, target, version);
  if (conversion.type !== 'version') throw new DecodeError(conversion.why);
  const fields = Object.keys(object).filter(key => key !== 'apiVersion' && key !== 'kind');
  return {
    object: { apiVersion: target.apiVersion, kind, metadata: {} },
    unknown: fields.map(key => `unknown field ${goQuote(key)}`),
  };
}

/** Throws 422 for a custom resource of another type, as its validation upstream does. as customResourceValidator ValidateTypeMeta */
function checkCustomType(target: PatchTarget, patched: KubeObject, live: KubeObject, text: () => string): void {
  const { apiVersion = '', kind } = patched;
  if (!kind) throw patchedUndecodable(text(), `Object 'Kind' is missing in '${text()}'`);
  const faults: Fault[] = [];
  if (kind !== target.kind) faults.push(invalidValue('kind', kind, `must be ${target.kind}`));
  if (apiVersion !== target.apiVersion)
    faults.push(invalidValue('apiVersion', apiVersion, `must be ${target.apiVersion}`));
  if (faults.length > 0) throw invalid({ group: target.group, kind }, live.metadata.name ?? '', faults);
}

/** Returns the JSON of the result for errors: objects that the patch has changed have sorted keys, the others have their original order. */
function patchedText(value: unknown, before: unknown): string {
  if (value === before || !isObject(value) || !isObject(before)) return jsonText(value);
  const members = Object.keys(value)
    .sort()
    .map(key => `${JSON.stringify(key)}:${patchedText(value[key], before[key])}`);
  return `{${members.join(',')}}`;
}
