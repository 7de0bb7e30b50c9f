import type { KubeObject } from '../../apimachinery/interface.js';
import { jsonTextSteps } from '../../lib/json/text-steps.js';
import { inTimeSlices, TimeSlice } from '../../lib/time-slice.js';
import type { ResourceDefinition } from '../../registry/interface.js';
import { badRequest } from '../../apimachinery/errors/status.js';
import type { ListQuery } from '../../client/interface.js';
import type { RequestScope, ListAnswer, Stored } from '../../registry/pipeline/interface.js';
import { selectedName } from '../http/request-info.js';
import type { Request } from '../http/request.js';
import type { RequestInfo } from '../interface.js';
import { sendPieces } from '../http/send.js';
import { mediaTypes } from '../negotiate/accept.js';
import {
  customFrame,
  convertedList,
  nativeFrame,
  partialList,
  type SizedPieces,
  storedList,
} from '../negotiate/list-body.js';
import type { PackedPieces } from '../negotiate/packed.js';
import { parseIncludeObject, type RowSource, tablePieces, tablePiecesInTurns } from '../negotiate/table.js';
import { listOptions } from './options.js';
import { protobufList } from './protobuf.js';
import { isCustom, type Route } from './route.js';
import {
  callOf,
  type Handler,
  type HandlerDeps,
  representationOf,
  type RouteRepresentation,
} from './serve-resource.js';
import { listIsNoObject } from './refusals.js';
import { writePieces } from './write-object.js';

/** Adds the name in the path to the selection. Errors: 400 when the query selects another name. */
export function withName<Q extends ListQuery>(info: RequestInfo, query: Q): Q {
  if (info.name === '') return query;
  if (query.fieldSelector === undefined) return { ...query, fieldSelector: `metadata.name=${info.name}` };
  if (selectedName(query.fieldSelector) !== info.name)
    throw badRequest("fieldSelector metadata.name doesn't match requested name");
  return query;
}

/** Returns the objects in the requested version, and their JSON. Sockets and timers run in between: a list may be long, and its objects large. */
async function convertAll(
  deps: HandlerDeps,
  call: RequestScope,
  { items, views }: ListAnswer,
  shown: (object: KubeObject) => object,
): Promise<RowSource[]> {
  const sources: RowSource[] = [];
  const slice = new TimeSlice();
  for (const [i, item] of items.entries()) {
    const pause = slice.pause();
    if (pause) await pause;
    const converting = views?.[i] ?? deps.pipeline.convert(call, item);
    const object = converting instanceof Promise ? await converting : converting;
    const text = inTimeSlices(jsonTextSteps(shown(object)));
    sources.push({ json: Buffer.from(text instanceof Promise ? await text : text), object });
  }
  return sources;
}

/** Returns an item of a list with its fields in order: items of native kinds have no type. */
function itemOf({ kind, apiVersion, ...rest }: KubeObject, definition: ResourceDefinition): object {
  return isCustom(definition) ? { ...rest, apiVersion, kind } : rest;
}

/** Returns the sources of rows. Rows of custom resources are printed from the requested version, those of built-in kinds from the stored one. */
async function rowSources(
  deps: HandlerDeps,
  call: RequestScope,
  route: Route,
  list: ListAnswer,
): Promise<readonly RowSource[]> {
  const { items } = list;
  if (!route.converts) return items;
  const sources = await convertAll(deps, call, list, object => object);
  return isCustom(route.definition)
    ? sources
    : sources.map(({ json }, i) => ({ json, object: (items[i] as Stored).object }));
}

async function listPieces(
  deps: HandlerDeps,
  request: Request,
  { route, as, version }: RouteRepresentation,
  call: RequestScope,
  list: ListAnswer,
): Promise<SizedPieces | PackedPieces | { length: undefined; pieces: Iterable<Buffer> }> {
  const { definition, apiVersion } = route;
  if (as === 'Table') {
    const include = parseIncludeObject(request.query.get('includeObject'));
    const sources = await rowSources(deps, call, route, list);
    const hidden = definition.fieldAnnotations;
    const options = { printer: route.version.printer, version, include, now: deps.now(), hidden };
    const pieces = areLarge(sources)
      ? await tablePiecesInTurns(list.metadata, sources, options)
      : tablePieces(list.metadata, sources, options);
    return { length: undefined, pieces };
  }
  if (as === 'PartialObjectMetadataList')
    return partialList(list.metadata, list.items, version, definition.fieldAnnotations);
  const frame = (isCustom(definition) ? customFrame : nativeFrame)(definition.listKind, apiVersion, list.metadata);
  if (!route.converts) return storedList(frame, list.items);
  const converted = await convertAll(deps, call, list, object => itemOf(object, definition));
  return convertedList(
    frame,
    converted.map(({ json }) => json),
  );
}

/** Bytes of an object that takes several milliseconds to parse and print. */
const largeObject = 64 * 1024;

/** hot: reports whether the rows of one write may take too long for one turn of the event loop. */
const areLarge = (sources: readonly RowSource[]): boolean => sources.some(({ json }) => json.length > largeObject);

/** Answers with a list, that of a read or of a deletion. */
export async function writeListAnswer(
  deps: HandlerDeps,
  request: Request,
  representation: RouteRepresentation,
  call: RequestScope,
  list: ListAnswer,
): Promise<void> {
  const { route } = representation;
  if (representation.as === 'PartialObjectMetadata') throw listIsNoObject(route.definition);
  if (representation.format === 'protobuf' && request.audit?.wantsResponse !== true) {
    const pieces = await protobufList(deps, route, representation, call, list);
    return sendPieces(request, 200, { type: mediaTypes.protobuf, ...pieces });
  }
  const pieces = await listPieces(deps, request, representation, call, list);
  await writePieces(deps, request, 200, pieces, representation);
}

/** hot: GET of a collection. */
export const list: Handler = async (deps, request, route) => {
  const representation = representationOf(request, route);
  const call = callOf(deps, request, route);
  const query = withName(request.info, listOptions(request.query, call.namespace));
  await writeListAnswer(deps, request, representation, call, await deps.pipeline.list(call, query));
};
