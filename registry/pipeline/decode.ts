/** Objects that do not come as text take the form in which a text would arrive: what the edges and patches of the pipeline hand on. */
import { nativeSchemaFor } from '../../openapi/facts/load.js';
import type { Fault, KubeObject } from '../../openapi/interface.js';
import { invalidValue } from '../../openapi/meta/faults.js';
import { goQuote } from '../../openapi/meta/go-text.js';
import { readApiVersion } from '../../openapi/meta/gvk.js';
import { badRequest, invalid, patchedUndecodable } from '../../openapi/meta/status.js';
import { goValue } from '../../openapi/patch/go-value.js';
import { type JsonPatchOp, unknownJsonPatchFields } from '../../openapi/patch/json-patch.js';
import { restoreFault } from '../../openapi/patch/restore-fault.js';
import { canonical } from '../../openapi/schema/canonical.js';
import { coerceObject } from '../../openapi/schema/coerce.js';
import { DecodeError } from '../../openapi/schema/decode-error.js';
import { applyDefaults } from '../../openapi/schema/default.js';
import type { Schema } from '../../openapi/schema/interface.js';
import { typeOf } from '../../openapi/schema/type-meta.js';
import type { Patch, ResourceDefinition, VersionDefinition } from '../interface.js';
import { subresourceOf } from '../subresources.js';
import { objectMetaSchema } from '../strategy/object-meta.js';
import { spokenApiVersion } from './api-versions.js';
import type { Call, FieldValidation } from './interface.js';
import { sortedCopy } from './sorted-copy.js';

type Plain = Record<string, unknown>;
/** What of a call matters to the form of its objects. */
type Endpoint = Pick<Call, 'definition' | 'version' | 'subresource'>;

interface Decoded {
  readonly object: KubeObject;
  /** `unknown field "spec.foo"` */
  readonly unknown: readonly string[];
}

/** In the form of its type, without fields that this does not know; a copy. Throws DecodeError. */
function decode(object: KubeObject, { schema }: VersionDefinition, { wire }: ResourceDefinition): Decoded {
  if (wire.keys === 'declared') return canonical<KubeObject>(object, schema);
  const copy = sortedCopy(object) as KubeObject;
  copy.metadata ??= {};
  const unknown = coerceObject(copy, schema, { objectMeta: objectMetaSchema() });
  return { object: copy, unknown: unknown.map(path => `unknown field ${goQuote(path)}`) };
}

/** The body that a request to the endpoint has: its object, a Scale, or what an action takes (the object when the action itself writes it). */
function bodySchema(endpoint: Endpoint, kind: string): Schema | undefined {
  const part = subresourceOf(endpoint);
  if (part?.type === 'scale') return nativeSchemaFor({ group: 'autoscaling', version: 'v1', kind: 'Scale' });
  return part?.type === 'action' && !(part.rules && kind === endpoint.definition.kind)
    ? nativeSchemaFor(part.kind)
    : undefined;
}

/** A copy of a caller's object, without unknown fields. Throws 400 for what does not fit its type. */
export function decodeLoose(call: Endpoint, object: KubeObject): KubeObject {
  const body = bodySchema(call, object.kind);
  try {
    return body ? canonical<KubeObject>(object, body).object : decode(object, call.version, call.definition).object;
  } catch (error) {
    if (error instanceof DecodeError) throw badRequest(error.message);
    throw error;
  }
}

/** Fills what the object leaves out, in place, in the version it is written in. */
export function completeDraft({ definition, version }: Omit<Endpoint, 'subresource'>, draft: KubeObject): KubeObject {
  definition.defaults?.(draft, version.name);
  applyDefaults(draft, version.schema);
  return draft;
}

/** The result of an apply; a copy. */
export function decodeApplied(call: Call, object: KubeObject): KubeObject {
  return decodeLoose(call, object);
}

type Change = Exclude<Patch, { type: 'apply' }>;

/** The result of a patch as if its text had arrived; a copy (PAT-005). `live`: what was patched. */
export function decodePatched(
  call: Call,
  patched: KubeObject,
  live: KubeObject,
  { type, patch }: Change,
  validation: FieldValidation,
): KubeObject {
  const text = (): string => (type === 'strategic' ? goValue(patch) : patchedText(patched, live));
  const refuse = (why: string): Error => patchedUndecodable(text(), why);
  const odd = type === 'json' && validation !== 'Ignore' ? unknownJsonPatchFields(patch as readonly JsonPatchOp[]) : [];
  try {
    if (call.definition.wire.keys === 'sorted') checkCustomType(call, patched, live, text);
    const wrong = type === 'strategic' ? restoreFault(patched, call.version.schema) : typeFault(call, patched);
    if (wrong !== undefined) throw refuse(wrong);
    // A strategic patch works on values of the type: what they say of it does not count.
    const own = { apiVersion: spokenApiVersion(call), kind: call.definition.kind };
    const { object, unknown } = decode(
      type === 'strategic' ? { ...patched, ...own } : patched,
      call.version,
      call.definition,
    );
    const found = type === 'strategic' ? [...unknown].sort() : [...odd, ...unknown];
    if (found.length === 0 || validation === 'Ignore') return object;
    if (validation === 'Strict') throw refuse(`strict decoding error: ${found.join(', ')}`);
    for (const text of found) call.warn(text);
    return object;
  } catch (error) {
    if (error instanceof DecodeError) throw refuse(error.message);
    throw error;
  }
}

/** Why a built-in kind cannot be read as what it says it is, when that is not what it was; undefined when it can. Throws DecodeError. */
function typeFault(call: Call, object: KubeObject): string | undefined {
  const { definition } = call;
  if (definition.wire.keys === 'sorted') return undefined;
  const spoken = spokenApiVersion(call);
  if (object.apiVersion === spoken && object.kind === definition.kind) return undefined;
  const said = typeOf(object);
  // What is not said is what it was.
  object.apiVersion = said.apiVersion || spoken;
  object.kind = said.kind || definition.kind;
  const { apiVersion, kind } = object;
  if (apiVersion === spoken && kind === definition.kind) return undefined;
  const { group = '', version = '' } = readApiVersion(apiVersion) ?? {};
  const other = nativeSchemaFor({ group, version, kind });
  if (!other)
    return `no kind ${goQuote(kind)} is registered for version ${goQuote(apiVersion)} in scheme "pkg/api/legacyscheme/scheme.go:30"`;
  canonical(object, other);
  const internal = `${definition.group.split('.')[0] || 'core'}.${definition.kind}`;
  return `converting (${version}.${kind}) to (${internal}): unknown conversion`;
}

/** Custom resources of another type are read, and found wrong by their rules. as customResourceValidator ValidateTypeMeta */
function checkCustomType(call: Call, patched: KubeObject, live: KubeObject, text: () => string): void {
  const { group, kind: wanted } = call.definition;
  const { apiVersion = '', kind } = patched;
  if (!kind) throw patchedUndecodable(text(), `Object 'Kind' is missing in '${text()}'`);
  const faults: Fault[] = [];
  if (kind !== wanted) faults.push(invalidValue('kind', kind, `must be ${wanted}`));
  const version = spokenApiVersion(call);
  if (apiVersion !== version) faults.push(invalidValue('apiVersion', apiVersion, `must be ${version}`));
  if (faults.length > 0) throw invalid({ group, kind }, live.metadata.name ?? '', faults);
}

/** Objects that the patch went through have their keys sorted, all others are as they were. */
function patchedText(value: unknown, before: unknown): string {
  if (value === before || !isObject(value) || !isObject(before)) return JSON.stringify(value);
  const members = Object.keys(value)
    .sort()
    .map(key => `${JSON.stringify(key)}:${patchedText(value[key], before[key])}`);
  return `{${members.join(',')}}`;
}

const isObject = (value: unknown): value is Plain =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
