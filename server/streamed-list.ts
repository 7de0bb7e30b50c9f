/** Writes a list whose objects come in parts: what its client has not read yet is not asked for. */
import { ListWriter } from '../aggregation/proxy/list-writer.js';
import { isCustom } from '../apiserver/handlers/route.js';
import type { RouteRepresentation } from '../apiserver/handlers/serve-resource.js';
import type { Request } from '../apiserver/http/request.js';
import { mediaTypes } from '../apiserver/negotiate/accept.js';
import { customFrame, listMetaJson, listTypeJson, partialPieces } from '../apiserver/negotiate/list-body.js';
import { parseIncludeObject, rowPieces, tableColumns } from '../apiserver/negotiate/table.js';
import type { ListMeta } from '../apimachinery/interface.js';
import { TimeSlice } from '../lib/time-slice.js';
import type { Stored } from '../registry/pipeline/interface.js';

/** A form of lists in JSON that are not empty. Its metadata come last, since they are known at the end only. */
interface ListForm {
  readonly head: string;
  readonly pieces: (item: Stored) => readonly Buffer[];
  readonly tail: (metadata: ListMeta) => string;
}

const metadataTail = (metadata: ListMeta): string => `],"metadata":${listMetaJson(metadata)}}\n`;

const nativeHead = (kind: string, apiVersion: string): string => `{${listTypeJson(kind, apiVersion)},"items":[`;

function tableForm(request: Request, { route, version }: RouteRepresentation, now: Date): ListForm {
  const { printer } = route.version;
  const include = parseIncludeObject(request.query.get('includeObject'));
  const options = { printer, version, include, now, hidden: route.definition.fieldAnnotations };
  return {
    head: `{${listTypeJson('Table', `meta.k8s.io/${version}`)},"columnDefinitions":${tableColumns(printer)},"rows":[`,
    pieces: item => rowPieces(item, options),
    tail: metadataTail,
  };
}

function formOf(request: Request, representation: RouteRepresentation, now: Date): ListForm {
  const { as, version, route } = representation;
  const { definition, apiVersion } = route;
  if (as === 'Table') return tableForm(request, representation, now);
  if (as === 'PartialObjectMetadataList')
    return {
      head: nativeHead('PartialObjectMetadataList', `meta.k8s.io/${version}`),
      pieces: ({ json }) => partialPieces(json, version, definition.fieldAnnotations),
      tail: metadataTail,
    };
  const pieces = ({ json }: Stored): readonly Buffer[] => [json];
  if (isCustom(definition)) {
    const { head } = customFrame(definition.listKind, apiVersion, {});
    return { head, pieces, tail: metadata => customFrame(definition.listKind, apiVersion, metadata).tail };
  }
  return { head: nativeHead(definition.listKind, apiVersion), pieces, tail: metadataTail };
}

/** Returns whether a list may be written before it is known as a whole: protobuf begins with the length, and other forms are made of all of it. */
export const isStreamable = ({ format, pretty, as, route }: RouteRepresentation): boolean =>
  format === 'json' &&
  !pretty &&
  as !== 'PartialObjectMetadata' &&
  (as !== 'Table' || route.version.printer.order === undefined);

/**
 * Answers with a list, with `writeEmpty` if it has no objects. Rejects with an error of the parts. After the first part it also breaks the answer off, so
 * that the client does not take what it got for the whole.
 */
export async function streamList(
  request: Request,
  representation: RouteRepresentation,
  parts: AsyncGenerator<readonly Stored[], ListMeta>,
  writeEmpty: (metadata: ListMeta) => Promise<void>,
): Promise<void> {
  const form = formOf(request, representation, new Date());
  let part = await parts.next();
  if (part.done) return writeEmpty(part.value);
  const { exchange } = request;
  const writer = new ListWriter(request, { ...request.answerHeaders(), 'content-type': mediaTypes.json }, form.head);
  const slice = new TimeSlice();
  try {
    for (; !part.done; part = await parts.next())
      for (const item of part.value) {
        const pause = slice.pause();
        if (pause) await pause;
        const drained = writer.add(form.pieces(item));
        if (drained) await drained;
        if (writer.closed) return;
      }
    writer.end(form.tail(part.value));
  } catch (error) {
    exchange.abort();
    if (!request.signal.aborted) throw error;
  } finally {
    await parts.return({});
  }
}
