import type { Offload } from '../../lib/offload/interface.js';
import { jsonText, parseJson } from '../../lib/json/json.js';
import { andThen, type Maybe } from '../../lib/maybe.js';
import { atOnce, type InSteps, inTimeSlices } from '../../lib/time-slice.js';
import { badRequest, unsupportedMediaType } from '../../apimachinery/errors/status.js';
import { decodeJsonPatch } from '../../apimachinery/patch/json-patch.js';
import { patchSteps, type PatchBody as ReadPatch, readPatch } from '../../apimachinery/patch/literals.js';
import { decodeMergePatch } from '../../apimachinery/patch/merge-patch.js';
import { decodeStrategicPatch } from '../../apimachinery/patch/strategic/strategic.js';
import { refuseManyValues } from '../../apimachinery/meta/values.js';
import { DecodeError } from '../../apimachinery/codec/decode-error.js';
import { decodeJson, jsonSteps, refuseOverflow, repeatedSteps } from '../../apimachinery/codec/decode.js';
import { jsonType } from '../../apimachinery/codec/fields.js';
import type { Patch } from '../../client/interface.js';
import { pauseOf } from '../../registry/pipeline/pause.js';
import type { Request } from '../http/request.js';
import { maxBody } from './max-body.js';
import { jsonOfYaml, mediaType, warnStrict } from './decode.js';
import { readYamlBody } from './yaml-body.js';
import { writeOptions, type RequestWriteOptions } from './options.js';
import { routerUnsupportedMediaType } from './refusals.js';
import { isCustom, type Route } from './route.js';
import { callOf, type Handler, representationOf } from './serve-resource.js';
import { writeAnswer } from './write-object.js';

const types = {
  'application/json-patch+json': 'json',
  'application/merge-patch+json': 'merge',
  'application/strategic-merge-patch+json': 'strategic',
  'application/apply-patch+yaml': 'apply',
} as const;

type PatchType = Patch['type'];

/** Returns the patch types that a resource accepts, in upstream's order. */
function patchTypes(route: Route): readonly (keyof typeof types)[] {
  const all = Object.keys(types) as (keyof typeof types)[];
  return route.definition.wire.strategicMerge ? all : all.filter(type => types[type] !== 'strategic');
}

/**
 * Returns the type of patch that the Content-Type names. Throws 415 for others: in kube-apiserver the router refuses them for built-in kinds,
 * and the handler for custom resources, with different messages.
 */
function patchType(request: Request, route: Route): PatchType {
  const accepted = patchTypes(route);
  const given = mediaType(request.header('content-type'));
  const known = accepted.find(type => type === given);
  if (known) return types[known];
  throw isCustom(route.definition) ? unsupportedMediaType(accepted) : routerUnsupportedMediaType();
}

/** Returns the 400 for a patch that cannot be parsed, with the message of upstream's decoder of the type. */
function unreadable(type: PatchType, checked: boolean, text: string): Error {
  if (type === 'apply') return badRequest(`error decoding YAML: error converting YAML to JSON: ${text}`);
  if (type === 'merge' && !checked) return badRequest('Invalid JSON Patch');
  return badRequest(type === 'strategic' || !checked ? text : `error decoding patch: ${text}`);
}

interface PatchBody {
  readonly value: unknown;
  /** Messages about repeated fields. */
  readonly faults: readonly string[];
  /** Whether the value may contain Literals. */
  readonly literals?: boolean;
}

/** Reads an apply as JSON; returns undefined when it has to be read as YAML. hot: most clients send JSON, which is read ten times faster. */
function* yamlThatIsJson(text: string, isLarge: boolean): InSteps<PatchBody | undefined> {
  if (!/^\s*\{/.test(text)) return undefined;
  refuseManyValues(text);
  try {
    const { value, repeated, floats, overflows } = isLarge ? yield* jsonSteps(text) : decodeJson(text);
    // YAML reads a number that exceeds float64 as a string.
    if (overflows) refuseOverflow(text, value);
    if (repeated) return undefined;
    // Go writes a whole float as an integer: 1e18 becomes 1000000000000000000.
    return { value: floats ? parseJson(jsonText(value)) : value, faults: [] };
  } catch (error) {
    if (error instanceof DecodeError) return undefined;
    throw error;
  }
}

async function readApply(offload: Offload, request: Request, bytes: Buffer, isLarge: boolean): Promise<PatchBody> {
  const text = bytes.toString();
  const json = isLarge ? await inTimeSlices(yamlThatIsJson(text, true)) : atOnce(yamlThatIsJson(text, false));
  if (json) return json;
  const { yaml } = await readYamlBody(offload, request, bytes);
  const { json: made, faults } = jsonOfYaml(yaml);
  refuseManyValues(made);
  const { value } = await inTimeSlices(jsonSteps(made));
  return { value, faults };
}

/** Reads a patch in JSON. The values of JSON patches and merge patches are decoded later, by the types of the patched object. */
function readPatchBody(
  bytes: Buffer,
  type: Exclude<PatchType, 'apply'>,
  checked: boolean,
  isLarge: boolean,
): Maybe<PatchBody> {
  const text = bytes.toString();
  refuseManyValues(text);
  const reading = type === 'strategic' ? 'value' : 'text';
  const read = isLarge ? inTimeSlices(patchSteps(text, reading)) : readPatch(text, reading);
  return andThen(read, body => {
    const rest = checkedBody(text, type, checked, body);
    return isLarge ? inTimeSlices(rest) : atOnce(rest);
  });
}

function* checkedBody(
  text: string,
  type: Exclude<PatchType, 'apply'>,
  checked: boolean,
  { value, repeated, literals, overflows }: ReadPatch,
): InSteps<PatchBody> {
  if (overflows && (type === 'strategic' || (type === 'merge' && checked))) refuseOverflow(text, value);
  return { value, faults: repeated ? yield* repeatedSteps(text) : [], literals };
}

function decoded(type: PatchType, { value, literals }: PatchBody, checked: boolean, force: boolean | undefined): Patch {
  const mode = checked ? 'checked' : 'unchecked';
  const withLiterals = literals ? { literals } : {};
  if (type === 'json') return { type, patch: decodeJsonPatch(value, mode), ...withLiterals };
  if (type === 'merge') return { type, patch: decodeMergePatch(value, mode), ...withLiterals };
  if (type === 'strategic') return { type, patch: decodeStrategicPatch(value), ...withLiterals };
  if (typeof value !== 'object' || Array.isArray(value))
    throw badRequest(
      `error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${jsonType(value)} into Go value of type map[string]interface {}`,
    );
  return { type, patch: (value ?? {}) as Record<string, unknown>, ...(force === undefined ? {} : { force }) };
}

const isChecked = ({ fieldValidation }: RequestWriteOptions): boolean => fieldValidation !== 'Ignore';

/** Returns the error for the client: a DecodeError as the 400 of upstream's decoder, others unchanged. */
const refused = (error: unknown, type: PatchType, options: RequestWriteOptions): unknown =>
  error instanceof DecodeError ? unreadable(type, isChecked(options), error.message) : error;

function patchOf(request: Request, body: PatchBody, type: PatchType, options: RequestWriteOptions): Patch {
  const checked = isChecked(options);
  const strict = body.faults.length > 0 && options.fieldValidation === 'Strict';
  const faults = body.faults.join(', ');
  if (strict && type !== 'apply') throw badRequest(`strict decoding error: ${faults}`);
  if (checked && !strict) warnStrict(request, body.faults);
  const patch = decoded(type, body, checked, options.force);
  if (!strict || patch.type !== 'apply') return patch;
  return {
    ...patch,
    validationError: badRequest(`error strict decoding YAML: error converting YAML to JSON: ${faults}`),
  };
}

/** Handles a PATCH in its four forms. */
export const patch: Handler = async (deps, request, route) => {
  const type = patchType(request, route);
  const representation = representationOf(request, route);
  const bytes = request.arrivedBody ?? (await request.body(maxBody));
  const options = writeOptions('PatchOptions', request.query, request.header('user-agent'), type === 'apply');
  const pause = pauseOf({ bodyBytes: bytes.length });
  if (pause) await pause();
  let body: PatchBody;
  try {
    if (type === 'apply') body = await readApply(deps.offload, request, bytes, pause !== undefined);
    else {
      const reading = readPatchBody(bytes, type, isChecked(options), pause !== undefined);
      body = reading instanceof Promise ? await reading : reading;
    }
  } catch (error) {
    throw refused(error, type, options);
  }
  const given = patchOf(request, body, type, options);
  request.audit?.requestPatch(() => (type === 'apply' ? jsonText(given.patch) : bytes.toString()));
  request.dryRun = options.dryRun;
  const call = callOf(deps, request, route, options.fieldManager, bytes.length);
  const write = { dryRun: options.dryRun, options: options.object, fieldValidation: options.fieldValidation };
  const { answer, created } = await deps.pipeline.patch(call, request.info.name, given, write);
  await writeAnswer(deps, request, representation, created ? 201 : 200, answer);
};
