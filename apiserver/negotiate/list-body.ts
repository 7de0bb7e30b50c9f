import type { ListMeta, ObjectMeta } from '../../apimachinery/interface.js';
import { jsonText, parseJson } from '../../lib/json/json.js';
import type { Stored } from '../../registry/pipeline/interface.js';
import { sliceValue } from './json-slice.js';
import { packed, type PackedPieces } from './packed.js';

const comma = Buffer.from(',');
const objectEnd = Buffer.from('}');
const noObject = Buffer.from('{}');

export interface SizedPieces {
  readonly length: number;
  readonly pieces: readonly Buffer[];
}

/** The text of a list before and after its items. */
interface ListFrame {
  readonly head: string;
  readonly tail: string;
}

/** Returns the JSON of the metadata of a list of native objects, with keys in the order of the Go type. */
export function listMetaJson({ resourceVersion, continue: token, remainingItemCount }: ListMeta): string {
  return JSON.stringify({ resourceVersion, ...(token ? { continue: token } : {}), remainingItemCount });
}

/** Returns the JSON of the type of a list of native objects. */
export const listTypeJson = (kind: string, apiVersion: string): string =>
  `"kind":${JSON.stringify(kind)},"apiVersion":${JSON.stringify(apiVersion)}`;

/** Returns the frame of a list of native objects: the type first, and the fields of the metadata in the order of Go. */
export function nativeFrame(kind: string, apiVersion: string, metadata: ListMeta): ListFrame {
  return { head: `{${listTypeJson(kind, apiVersion)},"metadata":${listMetaJson(metadata)},"items":[`, tail: ']}\n' };
}

/** Returns the frame of a list of custom resources: sorted keys, and `"continue":""` even on the last page. */
export function customFrame(kind: string, apiVersion: string, metadata: ListMeta): ListFrame {
  const { resourceVersion, remainingItemCount } = metadata;
  const meta = JSON.stringify({ continue: metadata.continue ?? '', remainingItemCount, resourceVersion });
  return {
    head: `{"apiVersion":${JSON.stringify(apiVersion)},"items":[`,
    tail: `],"kind":${JSON.stringify(kind)},"metadata":${meta}}\n`,
  };
}

function framed(frame: ListFrame, items: Iterable<readonly Buffer[]>): SizedPieces {
  const pieces: Buffer[] = [Buffer.from(frame.head)];
  let first = true;
  for (const item of items) {
    if (!first) pieces.push(comma);
    first = false;
    for (const piece of item) pieces.push(piece);
  }
  pieces.push(Buffer.from(frame.tail));
  let length = 0;
  for (const piece of pieces) length += piece.length;
  return { length, pieces };
}

const openByte = 0x7b;
const commaByte = 0x2c;

/** hot: returns a list whose items are stored bytes, for native kinds without kind and apiVersion. */
export function storedList(frame: ListFrame, items: readonly Stored[]): PackedPieces {
  const head = Buffer.from(frame.head);
  const tail = Buffer.from(frame.tail);
  let length = head.length + tail.length + Math.max(0, items.length - 1);
  for (const { json, typeLength } of items) length += json.length - typeLength;
  const at = (index: number): Stored => items[index] as Stored;
  return packed({
    ...{ head, tail, length, count: items.length },
    source: index => at(index).json,
    // The brace before the type is skipped, too.
    skipped: index => at(index).typeLength && at(index).typeLength + 1,
    before(pack, used, index) {
      if (index > 0) pack[used++] = commaByte;
      if (at(index).typeLength > 0) pack[used++] = openByte;
      return used;
    },
  });
}

/** Returns a list of items that were converted for this answer. */
export function convertedList(frame: ListFrame, items: readonly Buffer[]): SizedPieces {
  return framed(
    frame,
    items.map(item => [item]),
  );
}

export type MetaVersion = 'v1' | 'v1beta1';

const partialHeads: Readonly<Record<MetaVersion, Buffer>> = {
  v1: Buffer.from('{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":'),
  v1beta1: Buffer.from('{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1beta1","metadata":'),
};

/** Returns metadata without the hidden annotations. */
function without(metadata: Buffer, hidden: readonly string[]): Buffer {
  if (!hidden.some(name => metadata.includes(name))) return metadata;
  const shown = parseJson(metadata.toString()) as ObjectMeta;
  const left = Object.entries(shown.annotations ?? {}).filter(([name]) => !hidden.includes(name));
  if (left.length > 0) shown.annotations = Object.fromEntries(left);
  else delete shown.annotations;
  return Buffer.from(jsonText(shown));
}

/** hot: returns the PartialObjectMetadata of an object, cut out of its bytes. `hidden`: annotations that are left out. */
export function partialPieces(json: Buffer, version: MetaVersion, hidden: readonly string[] = []): readonly Buffer[] {
  const metadata = sliceValue(json, 'metadata') ?? noObject;
  return [partialHeads[version], hidden.length > 0 ? without(metadata, hidden) : metadata, objectEnd];
}

/** Returns the JSON of a PartialObjectMetadataList. The items of an empty list are null, as upstream. `hidden`: annotations that are left out. */
export function partialList(
  metadata: ListMeta,
  items: readonly Stored[],
  version: MetaVersion,
  hidden?: readonly string[],
): SizedPieces {
  const frame = nativeFrame('PartialObjectMetadataList', `meta.k8s.io/${version}`, metadata);
  if (items.length === 0) return framed({ head: frame.head.replace(/\[$/, 'null'), tail: frame.tail.slice(1) }, []);
  return framed(
    frame,
    items.map(({ json }) => partialPieces(json, version, hidden)),
  );
}
