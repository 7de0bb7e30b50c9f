import { nativeSchema } from '../../openapi/facts/native-schemas.js';
import { goQuote } from '../../lib/go/go-text.js';
import { badRequest } from '../../apimachinery/errors/status.js';
import { refuseManyValues, ValueBudget } from '../../apimachinery/meta/values.js';
import { canonicalInSteps } from '../../apimachinery/codec/canonical.js';
import { DecodeError } from '../../apimachinery/codec/decode-error.js';
import { decodeNative, nativeSteps } from '../../apimachinery/codec/decode.js';
import type { Schema } from '../../apimachinery/codec/interface.js';
import { typeInSteps } from '../../apimachinery/codec/type-meta.js';
import { atOnce, type InSteps, inTimeSlices } from '../../lib/time-slice.js';
import { pauseOf } from '../../registry/pipeline/pause.js';
import type { Request } from '../http/request.js';
import { protobufInSteps } from '../negotiate/protobuf/envelope.js';
import { WireError } from '../../lib/protobuf/reader.js';
import { maxBody } from './max-body.js';
import { type ReceivedBody, bodyFormat, jsonOfYaml } from './decode.js';
import { withName, writeListAnswer } from './list.js';
import { listOptions, type RemovalOptions, removalFromQuery, removalOptions } from './options.js';
import { callOf, type Handler, type HandlerDeps, representationOf } from './serve-resource.js';
import { writeAnswer } from './write-object.js';
import { readYamlBody } from './yaml-body.js';

/** Reads the options of a deletion. The query counts only when there is no body. as apiserver/pkg/endpoints/handlers DeleteResource */
async function optionsOf({ offload }: HandlerDeps, request: Request): Promise<RemovalOptions> {
  const bytes = request.arrivedBody ?? (await request.body(maxBody));
  if (bytes.length === 0) return removalOptions(removalFromQuery(request.query));
  const format = bodyFormat(request);
  try {
    const body: ReceivedBody = format === 'yaml' ? await readYamlBody(offload, request, bytes) : { format, bytes };
    const pause = pauseOf({ bodyBytes: bytes.length });
    if (!pause) return removalOptions(atOnce(deleteOptions(body, false)));
    await pause();
    return removalOptions(await inTimeSlices(deleteOptions(body, true)));
  } catch (error) {
    if (error instanceof DecodeError || error instanceof WireError) throw badRequest(error.message);
    throw error;
  }
}

let schema: Schema | undefined;
const expected = { apiVersion: 'v1', kind: 'DeleteOptions' };

/** Returns the DeleteOptions in a body. `isLarge` divides the parsing of JSON into steps. Throws DecodeError, WireError, or 400 for another kind. */
function* deleteOptions(body: ReceivedBody, isLarge: boolean): InSteps<Record<string, unknown>> {
  schema ??= nativeSchema('io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions');
  if (body.format === 'protobuf')
    return (yield* canonicalInSteps(yield* protobufInSteps(body.bytes, expected, new ValueBudget()), schema)).object;
  const text = body.format === 'yaml' ? jsonOfYaml(body.yaml).json : body.bytes.toString();
  refuseManyValues(text);
  const { kind, apiVersion } = yield* typeInSteps(text);
  // Any group is accepted, since DeleteOptions are registered in each. as apimachinery/pkg/apis/meta/internalversion/register.go
  if (kind !== '' && kind !== expected.kind)
    throw badRequest(
      `no kind ${goQuote(kind)} is registered for version ${goQuote(apiVersion || 'meta.k8s.io/v1')} in scheme "k8s.io/apimachinery/pkg/apis/meta/internalversion/scheme/register.go:27"`,
    );
  return (isLarge ? yield* nativeSteps(text, schema) : decodeNative(text, schema)).object;
}

/** Handles the DELETE of one object. */
export const remove: Handler = async (deps, request, route) => {
  const representation = representationOf(request, route);
  const options = await optionsOf(deps, request);
  request.audit?.requestObject(options.object);
  request.dryRun = options.dryRun;
  const write = { dryRun: options.dryRun, options: options.object };
  const { answer, removed } = await deps.pipeline.delete(
    callOf(deps, request, route),
    request.info.name,
    options,
    write,
  );
  const code = !removed && options.cascades ? 202 : 200; // as apiserver/pkg/endpoints/handlers DeleteResource
  await writeAnswer(deps, request, representation, code, answer);
};

/** Handles the DELETE of a collection. Answers with the objects as they were before. */
export const removeCollection: Handler = async (deps, request, route) => {
  const representation = representationOf(request, route);
  const call = callOf(deps, request, route);
  const query = withName(request.info, listOptions(request.query, call.namespace));
  const options = await optionsOf(deps, request);
  request.audit?.requestObject(options.object);
  request.dryRun = options.dryRun;
  const write = { dryRun: options.dryRun, options: options.object };
  const removed = await deps.pipeline.deleteCollection(call, query, options, write);
  await writeListAnswer(deps, request, representation, call, removed);
};
