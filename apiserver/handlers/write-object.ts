/** Writes answers with one object. */
import type { Status } from '../../apimachinery/interface.js';
import { parseJson } from '../../lib/json/json.js';
import { jsonTextSteps } from '../../lib/json/text-steps.js';
import { inTimeSlices } from '../../lib/time-slice.js';
import { offloadRefusal } from '../../apimachinery/errors/offload-refusal.js';
import type { ObjectAnswer, Stored } from '../../registry/pipeline/interface.js';
import { loadedObject } from '../../registry/pipeline/stored/loaded.js';
import { answer } from '../http/answer.js';
import { collectedInTurns, joinedInTurns } from '../http/pieces.js';
import { type Pieces, sendBody, sendPieces } from '../http/send.js';
import type { Request } from '../http/request.js';
import { objectIsNoList } from './refusals.js';
import { mediaTypes, type Representation } from '../negotiate/accept.js';
import { partialPieces } from '../negotiate/list-body.js';
import { type TextForm, reformat, reformatTask } from '../negotiate/reformat.js';
import { parseIncludeObject, type RowSource, tablePieces } from '../negotiate/table.js';
import { encodeProtobuf } from '../negotiate/protobuf/envelope.js';
import type { HandlerDeps, RouteRepresentation } from './serve-resource.js';
import { protobufAnswer } from './protobuf.js';
import { type Maybe, andThen } from '../../lib/maybe.js';

const newline = 0x0a;
const noBytes = Buffer.alloc(0);
const lineEnd = Buffer.from('\n');

/** hot: returns stored JSON with the newline that ends a body. */
function withNewline(json: Buffer): Buffer {
  const body = Buffer.allocUnsafe(json.length + 1);
  json.copy(body);
  body[json.length] = newline;
  return body;
}

/** Maximum bytes of JSON that are reformatted on the event loop, which takes some 10 milliseconds at most. */
const maxOnLoop = 32 * 1024;

const formTooLarge = 'the answer is too large for this form, ask for plain JSON or for fewer objects (limit)';

/** The texts for the client whose answer could not be reformatted. */
const refusals = {
  busy: 'the server is writing too many large answers, please try again later',
  late: formTooLarge,
  memory: formTooLarge,
} as const;

/**
 * Returns JSON in a form for people. Such answers are rare, so the JSON is parsed again, that of large answers in another thread. It is joined when
 * that is free: large lists that wait take no memory.
 */
async function inForm(
  { offload }: HandlerDeps,
  { user, signal }: Request,
  { length, pieces }: JsonPieces,
  form: TextForm,
): Promise<Buffer> {
  const make = (): Promise<Buffer> => joinedInTurns(pieces, length);
  if (length <= maxOnLoop) return reformat(await make(), form);
  try {
    const output = await offload.run(reformatTask(form), { byteLength: length, make }, { key: user.name, signal });
    return Buffer.from(output.buffer, output.byteOffset, output.byteLength);
  } catch (error) {
    throw offloadRefusal(error, refusals);
  }
}

/** Returns JSON in another format. Stored objects do not become protobuf in this way (see `protobufAnswer`). */
async function reformatted(
  deps: HandlerDeps,
  request: Request,
  json: JsonPieces,
  { format }: Representation,
): Promise<{ type: string; body: Buffer }> {
  const type = mediaTypes[format];
  if (format !== 'protobuf')
    return { type, body: await inForm(deps, request, json, format === 'yaml' ? 'yaml' : 'pretty') };
  const whole = await joinedInTurns(json.pieces, json.length);
  return { type, body: encodeProtobuf(parseJson(whole.toString()) as Record<string, unknown>) };
}

interface JsonPieces {
  readonly length: number;
  readonly pieces: Iterable<Buffer>;
}

/** Returns the pieces with their length: all of them are made if it is not known. */
async function measured({ pieces, length }: Omit<Pieces, 'type'>): Promise<JsonPieces> {
  return length === undefined ? sized(await collectedInTurns(pieces)) : { length, pieces };
}

const isPlain = ({ format, pretty }: Representation): boolean => format === 'json' && !pretty;

/** Answers with pieces of JSON, or with all of them in another format. */
export async function writePieces(
  deps: HandlerDeps,
  request: Request,
  code: number,
  pieces: Omit<Pieces, 'type'>,
  representation: Representation,
): Promise<void> {
  const isAudited = request.audit?.wantsResponse === true;
  if (isPlain(representation) && !isAudited) return sendPieces(request, code, { type: mediaTypes.json, ...pieces });
  let json = await measured(pieces);
  if (isAudited) {
    const whole = await joinedInTurns(json.pieces, json.length);
    request.audit?.responseObject(whole.toString());
    if (isPlain(representation)) return sendBody(request, code, mediaTypes.json, whole);
    json = sized([whole]);
  }
  const { type, body } = await reformatted(deps, request, json, representation);
  return sendBody(request, code, type, body);
}

const isStatus = (object: object): object is Status => 'kind' in object && object.kind === 'Status';

/** hot: answers with the result of the pipeline; stored bytes are sent as they are. */
export function writeAnswer(
  deps: HandlerDeps,
  request: Request,
  representation: RouteRepresentation,
  code: number,
  result: ObjectAnswer,
): Maybe<void> {
  const { route } = representation;
  if (representation.format === 'protobuf' && 'stored' in result && request.audit?.wantsResponse !== true) {
    if (representation.as === 'PartialObjectMetadataList') throw objectIsNoList(route.definition);
    return andThen(protobufAnswer(deps, route, representation, result.stored), body =>
      sendBody(request, code, mediaTypes.protobuf, body),
    );
  }
  if ('stored' in result && isStoredForm(request, representation))
    return answerPlain(request, code, storedBody(request, result.stored));
  if ('stored' in result)
    return writeJson(deps, request, representation, code, { ...result, json: result.stored.json });
  return andThen(inTimeSlices(jsonTextSteps(result.object)), text =>
    writeJson(deps, request, representation, code, { ...result, json: Buffer.from(text) }),
  );
}

/** Answers with the JSON of an object, in the requested form. */
function writeJson(
  deps: HandlerDeps,
  request: Request,
  representation: RouteRepresentation,
  code: number,
  result: ObjectAnswer & { readonly json: Buffer },
): Maybe<void> {
  const { json } = result;
  const { route } = representation;
  // A Status is never transformed. as apiserver/pkg/endpoints/handlers/response.go doTransformObject
  const status = 'object' in result && isStatus(result.object) ? result.object : undefined;
  if (status) request.audit?.responseStatus(status);
  const { as, version } = status ? { as: undefined, version: representation.version } : representation;
  if (as === undefined) {
    if (request.audit?.wantsResponse === true) request.audit.responseObject(json.toString());
    if (isPlain(representation)) return answerPlain(request, code, withNewline(json));
    return reformatted(deps, request, sized([json]), representation).then(({ type, body }) =>
      sendBody(request, code, type, body),
    );
  }
  if (as === 'PartialObjectMetadataList') throw objectIsNoList(route.definition);
  if (as === 'PartialObjectMetadata') {
    const pieces = [...partialPieces(json, version, route.definition.fieldAnnotations), lineEnd];
    return writePieces(deps, request, code, sized(pieces), representation);
  }
  const loading = 'stored' in result ? loadedObject(result.stored) : result.object;
  return andThen(loading, object => writeTable(deps, request, representation, code, { json, object }));
}

/** Answers with the Table of one object. */
function writeTable(
  deps: HandlerDeps,
  request: Request,
  representation: RouteRepresentation,
  code: number,
  source: RowSource,
): Maybe<void> {
  const { route, version } = representation;
  const metadata = { resourceVersion: source.object.metadata.resourceVersion ?? '' };
  const include = parseIncludeObject(request.query.get('includeObject'));
  const hidden = route.definition.fieldAnnotations;
  const printer = route.part?.type === 'scale' ? route.part.printer : route.version.printer;
  const options = { printer, version, include, now: deps.now(), hidden };
  const pieces = [...tablePieces(metadata, [source], options)];
  return writePieces(deps, request, code, sized(pieces), representation);
}

/** hot: answers with plain JSON, which ends with a newline. */
function answerPlain(request: Request, code: number, body: Buffer): Maybe<void> {
  return body.length > compressibleBytes
    ? sendBody(request, code, mediaTypes.json, body)
    : answer(request, code, mediaTypes.json, body);
}

/** Reports whether the body is the stored JSON, with a newline. */
const isStoredForm = (request: Request, representation: RouteRepresentation): boolean =>
  representation.as === undefined && isPlain(representation) && request.audit?.wantsResponse !== true;

/**
 * hot: returns the stored JSON with a newline. For the answer to a write it is copied once, and not kept for readers: most objects are not read soon
 * after they were written.
 */
const storedBody = ({ exchange }: Request, stored: Stored): Buffer =>
  (exchange.method === 'GET' ? undefined : stored.between?.(noBytes, lineEnd)) ?? withNewline(stored.json);

const totalLength = (pieces: readonly Buffer[]): number => pieces.reduce((sum, { length }) => sum + length, 0);
const sized = (pieces: readonly Buffer[]) => ({ length: totalLength(pieces), pieces });

/** Bytes of a body from which on it may be compressed. */
const compressibleBytes = 128 * 1024;
