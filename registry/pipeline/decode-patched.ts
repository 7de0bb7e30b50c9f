/** What a patch makes of an object takes the form in which its text would arrive. */
import { nativeSchemaFor } from '../../openapi/facts/load.js';
import type { Fault, KubeObject } from '../../openapi/interface.js';
import { invalidValue } from '../../openapi/meta/faults.js';
import { goQuote } from '../../openapi/meta/go-text.js';
import { readApiVersion } from '../../openapi/meta/gvk.js';
import { jsonText } from '../../openapi/meta/json.js';
import { invalid, patchedUndecodable } from '../../openapi/meta/status.js';
import { goValue } from '../../openapi/patch/go-value.js';
import { isObject } from '../../openapi/patch/json.js';
import { type JsonPatchOp, unknownJsonPatchFields } from '../../openapi/patch/json-patch.js';
import { restoreFault } from '../../openapi/patch/restore-fault.js';
import { canonical } from '../../openapi/schema/canonical.js';
import { DecodeError } from '../../openapi/schema/decode-error.js';
import type { Schema } from '../../openapi/schema/interface.js';
import { typeOf } from '../../openapi/schema/type-meta.js';
import type { Patch, WireTraits } from '../interface.js';
import { spokenApiVersion } from './api-versions.js';
import { decode, decodeRestored } from './decode.js';
import type { Call, FieldValidation } from './interface.js';

type Change = Exclude<Patch, { type: 'apply' }>;

/** What a patch must leave behind. */
export interface PatchTarget {
  readonly group: string;
  readonly kind: string;
  readonly apiVersion: string;
  readonly schema: Schema;
  readonly keys: WireTraits['keys'];
  warn(text: string): void;
}

/** The object of a call. */
export const patchTarget = (call: Call): PatchTarget => ({
  group: call.definition.group,
  kind: call.definition.kind,
  apiVersion: spokenApiVersion(call),
  schema: call.version.schema,
  keys: call.definition.wire.keys,
  warn: text => call.warn(text),
});

/** The result of a patch as if its text had arrived; a copy (PAT-005). `live`: what was patched. */
export function decodePatched(
  target: PatchTarget,
  result: KubeObject,
  live: KubeObject,
  { type, patch }: Change,
  validation: FieldValidation,
): KubeObject {
  // A patch that takes them away leaves them; a strategic one changes them in vain.
  const patched = ofKind(result, { apiVersion: result.apiVersion || live.apiVersion, kind: result.kind || live.kind });
  const text = (): string => (type === 'strategic' ? goValue(patch) : patchedText(result, live));
  const refuse = (why: string): Error => patchedUndecodable(text(), why);
  const odd = type === 'json' && validation !== 'Ignore' ? unknownJsonPatchFields(patch as readonly JsonPatchOp[]) : [];
  try {
    if (target.keys === 'sorted') checkCustomType(target, result, live, text);
    const wrong = type === 'strategic' ? restoreFault(result, target.schema) : typeFault(target, patched);
    if (wrong !== undefined) throw refuse(wrong);
    const typed = type === 'strategic' ? ofKind(result, live) : patched;
    const read = type === 'strategic' ? decodeRestored : decode;
    const { object, unknown } = read(typed, target.schema, target.keys);
    const found = type === 'strategic' ? [...unknown].sort() : [...odd, ...unknown];
    if (found.length === 0 || validation === 'Ignore') return object;
    if (validation === 'Strict') throw refuse(`strict decoding error: ${found.join(', ')}`);
    for (const fault of found) target.warn(fault);
    return object;
  } catch (error) {
    if (error instanceof DecodeError) throw refuse(error.message);
    throw error;
  }
}

type Typed = Pick<KubeObject, 'apiVersion' | 'kind'>;

const ofKind = (object: KubeObject, { apiVersion, kind }: Typed): KubeObject =>
  object.apiVersion === apiVersion && object.kind === kind ? object : { ...object, apiVersion, kind };

/** Why a built-in kind cannot be read as what it says it is, when that is not what it was; undefined when it can. Throws DecodeError. */
function typeFault(target: PatchTarget, object: KubeObject): string | undefined {
  if (target.keys === 'sorted') return undefined;
  const { apiVersion, kind } = typeOf(object);
  if (apiVersion === target.apiVersion && kind === target.kind) return undefined;
  const { group = '', version = '' } = readApiVersion(apiVersion) ?? {};
  const other = nativeSchemaFor({ group, version, kind });
  if (!other)
    return `no kind ${goQuote(kind)} is registered for version ${goQuote(apiVersion)} in scheme "pkg/api/legacyscheme/scheme.go:30"`;
  canonical(object, other);
  const internal = `${target.group.split('.')[0] || 'core'}.${target.kind}`;
  return `converting (${version}.${kind}) to (${internal}): unknown conversion`;
}

/** Custom resources of another type are read, and found wrong by their rules. as customResourceValidator ValidateTypeMeta */
function checkCustomType(target: PatchTarget, patched: KubeObject, live: KubeObject, text: () => string): void {
  const { apiVersion = '', kind } = patched;
  if (!kind) throw patchedUndecodable(text(), `Object 'Kind' is missing in '${text()}'`);
  const faults: Fault[] = [];
  if (kind !== target.kind) faults.push(invalidValue('kind', kind, `must be ${target.kind}`));
  if (apiVersion !== target.apiVersion)
    faults.push(invalidValue('apiVersion', apiVersion, `must be ${target.apiVersion}`));
  if (faults.length > 0) throw invalid({ group: target.group, kind }, live.metadata.name ?? '', faults);
}

/** Objects that the patch went through have their keys sorted, all others are as they were. */
function patchedText(value: unknown, before: unknown): string {
  if (value === before || !isObject(value) || !isObject(before)) return jsonText(value);
  const members = Object.keys(value)
    .sort()
    .map(key => `${JSON.stringify(key)}:${patchedText(value[key], before[key])}`);
  return `{${members.join(',')}}`;
}
