/** One object as an answer. */
import type { KubeObject, Status } from '../../openapi/interface.js';
import { indented } from '../../openapi/meta/json-text.js';
import { jsonText, parseJson } from '../../openapi/meta/json.js';
import type { Answer } from '../../registry/pipeline/interface.js';
import { answer } from '../http/answer.js';
import { type Pieces, send, sendPieces } from '../http/send.js';
import type { Request } from '../http/request.js';
import { objectIsNoList } from './refusals.js';
import { mediaTypes, type Representation } from '../negotiate/accept.js';
import { partialPieces } from '../negotiate/list-body.js';
import { parseIncludeObject, tablePieces } from '../negotiate/table.js';
import { encodeProtobuf } from '../negotiate/protobuf/envelope.js';
import { writeYaml } from '../../lib/yaml/write-yaml.js';
import type { HandlerDeps } from './serve-resource.js';
import { protobufAnswer } from './protobuf.js';
import type { Route } from './route.js';

const newline = 0x0a;

/** hot: bytes that stand ready, with the newline that ends a JSON body. */
function withNewline(json: Buffer): Buffer {
  const body = Buffer.allocUnsafe(json.length + 1);
  json.copy(body);
  body[json.length] = newline;
  return body;
}

/** JSON in its other forms. They are rare (what is stored has its own way to protobuf): the bytes are parsed again. */
function reformat(json: Buffer, { format, pretty }: Representation): { type: string; body: Buffer } {
  const type = mediaTypes[format];
  if (format === 'json' && !pretty) return { type, body: json };
  if (format === 'json') return { type, body: Buffer.from(indented(json.toString(), '\n', '  ')) };
  const value = parseJson(json.toString()) as Record<string, unknown>;
  if (format === 'protobuf') return { type, body: encodeProtobuf(value) };
  return { type, body: Buffer.from(writeYaml(value)) };
}

const isPlain = ({ format, pretty }: Representation): boolean => format === 'json' && !pretty;

/** Pieces as they are, or all of them in another form. */
export async function writePieces(
  request: Request,
  code: number,
  pieces: Omit<Pieces, 'type'>,
  representation: Representation,
): Promise<void> {
  const wanted = request.audit?.wantsResponse === true;
  if (isPlain(representation) && !wanted) return sendPieces(request, code, { type: mediaTypes.json, ...pieces });
  const whole = Buffer.concat([...pieces.pieces]);
  if (wanted) request.audit?.responseObject(whole.toString());
  if (isPlain(representation)) return send(request, code, mediaTypes.json, whole);
  const { type, body } = reformat(whole, representation);
  return send(request, code, type, body);
}

const bytesOf = (object: KubeObject): Buffer => Buffer.from(jsonText(object));

/** hot: answers with what the pipeline gave; stored bytes go out as they are. */
export function writeAnswer(
  deps: HandlerDeps,
  request: Request,
  route: Route,
  representation: Representation,
  code: number,
  given: Answer,
): Promise<void> | void {
  if (representation.format === 'protobuf' && 'stored' in given && request.audit?.wantsResponse !== true) {
    if (representation.as === 'PartialObjectMetadataList') throw objectIsNoList(route.definition);
    return send(request, code, mediaTypes.protobuf, protobufAnswer(deps, route, representation, given.stored));
  }
  const json = 'stored' in given ? given.stored.json : bytesOf(given.object);
  // A Status has no other form. as apiserver/pkg/endpoints/handlers/response.go doTransformObject
  const isStatus = 'object' in given && given.object.kind === 'Status';
  if (isStatus) request.audit?.responseStatus(given.object as unknown as Status);
  const { as, version } = isStatus ? { as: undefined, version: representation.version } : representation;
  if (as === undefined) {
    if (request.audit?.wantsResponse === true) request.audit.responseObject(json.toString());
    if (isPlain(representation)) {
      const body = withNewline(json);
      return body.length > largest
        ? send(request, code, mediaTypes.json, body)
        : answer(request, code, mediaTypes.json, body);
    }
    const { type, body } = reformat(json, representation);
    return send(request, code, type, body);
  }
  if (as === 'PartialObjectMetadataList') throw objectIsNoList(route.definition);
  if (as === 'PartialObjectMetadata') {
    const pieces = [...partialPieces(json, version, route.definition.fieldAnnotations), lineEnd];
    return writePieces(request, code, { length: pieces.reduce((sum, p) => sum + p.length, 0), pieces }, representation);
  }
  const object = 'stored' in given ? given.stored.object : given.object;
  const metadata = { resourceVersion: object.metadata.resourceVersion ?? '' };
  const include = parseIncludeObject(request.query.get('includeObject'));
  const hidden = route.definition.fieldAnnotations;
  const printer = route.part?.type === 'scale' ? route.part.printer : route.version.printer;
  const options = { printer, version, include, now: deps.now(), hidden };
  const pieces = [...tablePieces(metadata, [{ json, object }], options)];
  return writePieces(request, code, { length: pieces.reduce((sum, p) => sum + p.length, 0), pieces }, representation);
}

const lineEnd = Buffer.from('\n');
/** Beyond this, compression may be wanted. */
const largest = 128 * 1024;
