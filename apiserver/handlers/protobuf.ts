/** Writes objects, lists and watch events in protobuf, from messages that are encoded once per object. */
import { parseJson } from '../../lib/json/json.js';
import { inTimeSlices, TimeSlice } from '../../lib/time-slice.js';
import { loadedObject } from '../../registry/pipeline/stored/loaded.js';
import type { RequestScope, ObjectEvent, ListAnswer, Stored } from '../../registry/pipeline/interface.js';
import type { Representation } from '../negotiate/accept.js';
import { type MetaVersion, partialPieces } from '../negotiate/list-body.js';
import { packed, type PackedPieces } from '../negotiate/packed.js';
import {
  blockHeadLength,
  encodeWatchEvent,
  enveloped,
  envelopeOf,
  messageTypeOf,
  putBlockHead,
} from '../negotiate/protobuf/envelope.js';
import { encodeMessage, encodeMessageInSteps } from '../negotiate/protobuf/message.js';
import type { Route } from './route.js';
import type { HandlerDeps } from './serve-resource.js';
import { type Maybe, andThen } from '../../lib/maybe.js';

type Plain = Record<string, unknown>;

const partialKind = 'PartialObjectMetadata';
interface Kinds {
  readonly apiVersion: string;
  readonly kind: string;
  readonly listKind: string;
}

/** Encodes the objects of a resource in one form: whole, or metadata alone. */
interface Form extends Kinds {
  /** hot: returns the message of an object, without an envelope. */
  message(stored: Stored): Buffer;
  /** Returns the message of a large object that was not encoded before, which is encoded in steps; undefined for others. */
  largeMessage?(stored: Stored): Promise<Buffer> | undefined;
  length(stored: Stored): number;
}

interface CachedForm extends Form {
  /** Encodes an object without caching the message. */
  encode(stored: Stored): Buffer;
}

/** Returns a form whose messages are cached under its name. */
function cachedForm(
  { encodings }: HandlerDeps,
  name: string,
  kinds: Kinds,
  encode: (stored: Stored) => Buffer,
): CachedForm {
  const make = (stored: Stored) => (): Buffer => encode(stored);
  return {
    ...{ ...kinds, encode },
    message: stored => encodings.get(name, stored, make(stored)),
    length: stored => encodings.lengthOf(name, stored, make(stored)),
  };
}

const kindsOf = ({ apiVersion, definition: { kind, listKind } }: Route): Kinds => ({ apiVersion, kind, listKind });

/** Returns the form with metadata alone, which is cut out of the JSON. It is the same for all versions of a kind. */
function partialForm(deps: HandlerDeps, route: Route, version: MetaVersion): CachedForm {
  const hidden = route.definition.fieldAnnotations;
  const kinds = { apiVersion: `meta.k8s.io/${version}`, kind: partialKind, listKind: `${partialKind}List` };
  return cachedForm(deps, partialKind, kinds, stored => {
    const json = Buffer.concat([...partialPieces(stored.json, version, hidden)]);
    return encodeMessage(messageTypeOf(kinds.apiVersion, partialKind), parseJson(json.toString()) as Plain);
  });
}

/** Bytes of JSON from which on an object is encoded in steps. */
const minLargeBytes = 32 * 1024;

/** Returns the form of objects in their stored version. */
function wholeForm(deps: HandlerDeps, route: Route): CachedForm {
  const kinds = kindsOf(route);
  const name = kinds.apiVersion;
  const typeName = messageTypeOf(kinds.apiVersion, kinds.kind);
  const { encodings } = deps;
  const encodeLarge = async (stored: Stored): Promise<Buffer> => {
    const object = await loadedObject(stored);
    const made = await inTimeSlices(encodeMessageInSteps(typeName, { ...object }));
    return encodings.get(name, stored, () => made);
  };
  return {
    ...cachedForm(deps, name, kinds, ({ object }) => encodeMessage(typeName, { ...object })),
    largeMessage: stored =>
      (stored.heldBytes ?? 0) < minLargeBytes || encodings.find(name, stored) ? undefined : encodeLarge(stored),
  };
}

const none = Buffer.alloc(0);

async function convert(
  deps: HandlerDeps,
  { apiVersion, definition }: Route,
  call: RequestScope,
  stored: Stored,
): Promise<Buffer> {
  const object = await deps.pipeline.convert(call, stored);
  return inTimeSlices(encodeMessageInSteps(messageTypeOf(apiVersion, definition.kind), { ...object }));
}

async function convertedMessage(deps: HandlerDeps, route: Route, call: RequestScope, stored: Stored): Promise<Buffer> {
  const known = deps.encodings.find(route.apiVersion, stored);
  if (known) return known;
  const made = await convert(deps, route, call, stored);
  return deps.encodings.get(route.apiVersion, stored, () => made);
}

/** Returns the form of objects in another version. Their messages are made beforehand, since a webhook may convert them. */
async function convertedForm(
  deps: HandlerDeps,
  route: Route,
  call: RequestScope,
  items: readonly Stored[],
): Promise<Form> {
  const kinds = kindsOf(route);
  const made = new Map<Stored, Buffer>();
  for (const stored of items) made.set(stored, await convertedMessage(deps, route, call, stored));
  const message = (stored: Stored): Buffer => made.get(stored) ?? none;
  return { ...kinds, message, length: stored => message(stored).length };
}

const isPartial = ({ as }: Representation): boolean => as !== undefined && as !== 'Table';

async function formOf(
  deps: HandlerDeps,
  route: Route,
  representation: Representation,
  call: RequestScope,
  items: readonly Stored[],
): Promise<Form> {
  if (isPartial(representation)) return partialForm(deps, route, representation.version);
  return route.converts ? convertedForm(deps, route, call, items) : wholeForm(deps, route);
}

/** The number of items, or of their bytes, between two checks of the clock. */
const stride = 32;
const strideBytes = 128 * 1024;
/** Total bytes of messages that are held while a list is sent; the others are looked up in the cache again. */
const maxHeldBytes = 16 * 1024 * 1024;

interface Measured {
  /** Bytes of all items, with their tags and lengths. */
  readonly length: number;
  /** Messages of the first items. */
  readonly held: readonly Buffer[];
}

/** Measures the messages of a list, in time slices, since all of them may have to be encoded. */
async function measure(form: Form, items: readonly Stored[]): Promise<Measured> {
  const held: Buffer[] = [];
  let total = 0;
  const slice = new TimeSlice();
  let checkedAt = 0;
  for (const [index, stored] of items.entries()) {
    if (index % stride === 0 || total - checkedAt >= strideBytes) {
      checkedAt = total;
      const pause = slice.pause();
      if (pause) await pause;
    }
    const encoding = form.largeMessage?.(stored);
    const large = encoding && (await encoding);
    let length: number;
    if (total < maxHeldBytes) {
      const message = large ?? form.message(stored);
      held.push(message);
      ({ length } = message);
    } else length = form.length(stored);
    total += blockHeadLength(length) + length;
  }
  return { length: total, held };
}

/** The field number of `items` in every list. */
const itemsField = 2;

/** Returns a list whose items are cached messages, or are encoded while it is sent. Throws WireError when the kind has no message. */
export async function protobufList(
  deps: HandlerDeps,
  route: Route,
  representation: Representation,
  call: RequestScope,
  { items, metadata }: ListAnswer,
): Promise<PackedPieces> {
  const form = await formOf(deps, route, representation, call, items);
  const { apiVersion, listKind } = form;
  const start = encodeMessage(messageTypeOf(apiVersion, listKind), { metadata, items: [] });
  const { length, held } = await measure(form, items);
  const { head, tail } = envelopeOf(apiVersion, listKind, start.length + length);
  return packed({
    ...{ head: Buffer.concat([head, start]), tail, count: items.length },
    length: head.length + start.length + length + tail.length,
    source: index => held[index] ?? form.message(items[index] as Stored),
    skipped: () => 0,
    before: (pack, used, _, length) => putBlockHead(pack, used, itemsField, length),
  });
}

/** hot: returns one object in its envelope. */
export function protobufAnswer(
  deps: HandlerDeps,
  route: Route,
  representation: Representation,
  stored: Stored,
): Maybe<Buffer> {
  const form = isPartial(representation) ? partialForm(deps, route, representation.version) : wholeForm(deps, route);
  return andThen(form.largeMessage?.(stored) ?? form.message(stored), message =>
    enveloped(form.apiVersion, form.kind, message),
  );
}

type Change = Exclude<ObjectEvent, { type: 'BOOKMARK' }>;

/** hot: returns a function that encodes changes as frames, which all watches in the same form share. */
export function protobufChanges(
  deps: HandlerDeps,
  route: Route,
  representation: Representation,
  call: RequestScope,
): (change: Change) => Maybe<Buffer> {
  const { frames, encodings } = deps;
  const partial = representation.as === 'PartialObjectMetadata';
  const form = partial ? partialForm(deps, route, representation.version) : wholeForm(deps, route);
  const { apiVersion, kind } = form;
  const converts = route.converts && !partial;
  return ({ type, stored }) => {
    const name = `${type} protobuf ${apiVersion}`;
    const known = frames.get(stored, name);
    if (known) return known;
    if (type === 'DELETED') encodings.drop(stored);
    const framed = (message: Buffer): Buffer =>
      frames.put(stored, name, encodeWatchEvent(type, enveloped(apiVersion, kind, message)));
    const isDeleted = type === 'DELETED';
    if (converts) return (isDeleted ? convert : convertedMessage)(deps, route, call, stored).then(framed);
    const encoding = isDeleted ? undefined : form.largeMessage?.(stored);
    if (encoding) return encoding.then(framed);
    return framed(isDeleted ? form.encode(stored) : form.message(stored));
  };
}
