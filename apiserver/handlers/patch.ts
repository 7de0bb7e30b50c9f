import type { Offload } from '../../lib/offload/interface.js';
import { jsonText, parseJson } from '../../lib/json/json.js';
import { type InSteps, inTimeSlices } from '../../lib/time-slice.js';
import { badRequest, unsupportedMediaType } from '../../apimachinery/errors/status.js';
import { decodeJsonPatch } from '../../apimachinery/patch/json-patch.js';
import { patchSteps } from '../../apimachinery/patch/literals.js';
import { decodeMergePatch } from '../../apimachinery/patch/merge-patch.js';
import { decodeStrategicPatch } from '../../apimachinery/patch/strategic/strategic.js';
import { refuseManyValues } from '../../apimachinery/meta/values.js';
import { DecodeError } from '../../apimachinery/codec/decode-error.js';
import { jsonSteps, refuseOverflow } from '../../apimachinery/codec/decode.js';
import { inspectFields, jsonType } from '../../apimachinery/codec/fields.js';
import { parseStrict } from '../../apimachinery/codec/strict-json.js';
import type { Patch } from '../../client/interface.js';
import { pauseOf } from '../../registry/pipeline/pause.js';
import type { Request } from '../http/request.js';
import { jsonOf, maxBody, mediaType, warnStrict } from './decode.js';
import { readYamlBody } from './yaml-body.js';
import { writeOptions, type WriteOptions } from './options.js';
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

/** The types that a resource takes, in upstream's order. */
function patchTypes(route: Route): readonly (keyof typeof types)[] {
  const all = Object.keys(types) as (keyof typeof types)[];
  return route.definition.wire.strategicMerge ? all : all.filter(type => types[type] !== 'strategic');
}

/**
 * Returns the type of patch that the Content-Type names. What kube-apiserver's router refuses for built-in kinds, its handler refuses for
 * custom resources.
 */
function patchType(request: Request, route: Route): PatchType {
  const taken = patchTypes(route);
  const given = mediaType(request.header('content-type'));
  const known = taken.find(type => type === given);
  if (known) return types[known];
  throw isCustom(route.definition) ? unsupportedMediaType(taken) : routerUnsupportedMediaType();
}

/** What a patch that is no JSON is told, by who would have read it. */
function unreadable(type: PatchType, checked: boolean, text: string): Error {
  if (type === 'apply') return badRequest(`error decoding YAML: error converting YAML to JSON: ${text}`);
  if (type === 'merge' && !checked) return badRequest('Invalid JSON Patch');
  return badRequest(type === 'strategic' || !checked ? text : `error decoding patch: ${text}`);
}

interface Given {
  readonly value: unknown;
  /** Fields that it gives twice, each a complete text. */
  readonly faults: readonly string[];
  /** Whether there may be Literals in the value. */
  readonly literals?: boolean;
}

/** hot: clients mostly write the YAML of an apply as JSON, which is read ten times faster; undefined for what a reader of YAML must judge. */
function* yamlThatIsJson(text: string): InSteps<Given | undefined> {
  if (!/^\s*\{/.test(text)) return undefined;
  refuseManyValues(text);
  try {
    const { value, repeated, floats, overflows } = yield* jsonSteps(text);
    // Beyond float64 YAML reads a text.
    if (overflows) refuseOverflow(text, value);
    if (repeated) return undefined;
    // The JSON that Go makes of a whole float is that of an int: 1e18.
    return { value: floats ? parseJson(jsonText(value)) : value, faults: [] };
  } catch (error) {
    if (error instanceof DecodeError) return undefined;
    throw error;
  }
}

async function readApply(offload: Offload, request: Request, bytes: Buffer): Promise<Given> {
  const json = await inTimeSlices(yamlThatIsJson(bytes.toString()));
  if (json) return json;
  const { yaml } = await readYamlBody(offload, request, bytes);
  const { json: made, faults } = jsonOf(yaml);
  refuseManyValues(made);
  const { value } = await inTimeSlices(jsonSteps(made));
  return { value, faults };
}

/** What JSON patches and merge patches say goes into the object as text, and is read with its types. */
function* readPatchBody(text: string, type: Exclude<PatchType, 'apply'>, checked: boolean): InSteps<Given> {
  refuseManyValues(text);
  const { value, repeated, literals, overflows } = yield* patchSteps(text, type === 'strategic' ? 'value' : 'text');
  if (overflows && (type === 'strategic' || (type === 'merge' && checked))) refuseOverflow(text, value);
  return { value, faults: repeated ? inspectFields(parseStrict(text)).faults : [], literals };
}

function decoded(type: PatchType, { value, literals }: Given, checked: boolean, force: boolean | undefined): Patch {
  const mode = checked ? 'checked' : 'unchecked';
  const written = literals ? { literals } : {};
  if (type === 'json') return { type, patch: decodeJsonPatch(value, mode), ...written };
  if (type === 'merge') return { type, patch: decodeMergePatch(value, mode), ...written };
  if (type === 'strategic') return { type, patch: decodeStrategicPatch(value), ...written };
  if (typeof value !== 'object' || Array.isArray(value))
    throw badRequest(
      `error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${jsonType(value)} into Go value of type map[string]interface {}`,
    );
  return { type, patch: (value ?? {}) as Record<string, unknown>, ...(force === undefined ? {} : { force }) };
}

const isChecked = ({ fieldValidation }: WriteOptions): boolean => fieldValidation !== 'Ignore';

/** `error`, in the words of whoever would have read the patch. */
const refused = (error: unknown, type: PatchType, options: WriteOptions): unknown =>
  error instanceof DecodeError ? unreadable(type, isChecked(options), error.message) : error;

function patchOf(request: Request, body: Given, type: PatchType, options: WriteOptions): Patch {
  const checked = isChecked(options);
  const strict = body.faults.length > 0 && options.fieldValidation === 'Strict';
  const faults = body.faults.join(', ');
  if (strict && type !== 'apply') throw badRequest(`strict decoding error: ${faults}`);
  if (checked && !strict) warnStrict(request, body.faults);
  const patch = decoded(type, body, checked, options.force);
  if (!strict || patch.type !== 'apply') return patch;
  return { ...patch, refusal: badRequest(`error strict decoding YAML: error converting YAML to JSON: ${faults}`) };
}

/** PATCH in its four forms. */
export const patch: Handler = async (deps, request, route) => {
  const type = patchType(request, route);
  const representation = representationOf(request, route);
  const bytes = await request.body(maxBody);
  const options = writeOptions('PatchOptions', request.query, request.header('user-agent'), type === 'apply');
  const pause = pauseOf({ bodyBytes: bytes.length });
  if (pause) await pause();
  let body: Given;
  try {
    if (type === 'apply') body = await readApply(deps.offload, request, bytes);
    else {
      const reading = inTimeSlices(readPatchBody(bytes.toString(), type, isChecked(options)));
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
  await writeAnswer(deps, request, route, representation, created ? 201 : 200, answer);
};
