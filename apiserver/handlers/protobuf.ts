/** Objects, lists and events for those who read protobuf: of messages that are made once per object. */
import { parseJson } from '../../lib/json/json.js';
import { nextTurn } from '../../lib/time-slice.js';
import type { RequestScope, Event, ListAnswer, Stored } from '../../registry/pipeline/interface.js';
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
import { encodeMessage } from '../negotiate/protobuf/message.js';
import type { Route } from './route.js';
import type { HandlerDeps } from './serve-resource.js';

type Plain = Record<string, unknown>;

const partialKind = 'PartialObjectMetadata';
interface Kinds {
  readonly apiVersion: string;
  readonly kind: string;
  readonly listKind: string;
}

/** How the objects of a resource become messages. */
interface Form extends Kinds {
  /** hot: what stands in lists, and in an envelope by itself. */
  message(stored: Stored): Buffer;
  length(stored: Stored): number;
}

interface KeptForm extends Form {
  /** Of what nobody will read again. */
  encode(stored: Stored): Buffer;
}

/** Messages that are kept, under the name of their form. */
function keptForm(
  { encodings }: HandlerDeps,
  name: string,
  kinds: Kinds,
  encode: (stored: Stored) => Buffer,
): KeptForm {
  const make = (stored: Stored) => (): Buffer => encode(stored);
  return {
    ...{ ...kinds, encode },
    message: stored => encodings.get(name, stored, make(stored)),
    length: stored => encodings.lengthOf(name, stored, make(stored)),
  };
}

const kindsOf = ({ apiVersion, definition: { kind, listKind } }: Route): Kinds => ({ apiVersion, kind, listKind });

/** Metadata alone, cut out of the bytes: of any kind, whatever its version. */
function partialForm(deps: HandlerDeps, route: Route, version: MetaVersion): KeptForm {
  const hidden = route.definition.fieldAnnotations;
  const kinds = { apiVersion: `meta.k8s.io/${version}`, kind: partialKind, listKind: `${partialKind}List` };
  return keptForm(deps, partialKind, kinds, stored => {
    const json = Buffer.concat([...partialPieces(stored.json, version, hidden)]);
    return encodeMessage(messageTypeOf(kinds.apiVersion, partialKind), parseJson(json.toString()) as Plain);
  });
}

/** Objects as they are stored. */
function wholeForm(deps: HandlerDeps, route: Route): KeptForm {
  const kinds = kindsOf(route);
  const typeName = messageTypeOf(kinds.apiVersion, kinds.kind);
  return keptForm(deps, kinds.apiVersion, kinds, ({ object }) => encodeMessage(typeName, { ...object }));
}

const none = Buffer.alloc(0);

async function convert(
  deps: HandlerDeps,
  { apiVersion, definition }: Route,
  call: RequestScope,
  stored: Stored,
): Promise<Buffer> {
  const object = await deps.pipeline.convert(call, stored);
  return encodeMessage(messageTypeOf(apiVersion, definition.kind), { ...object });
}

async function convertedMessage(deps: HandlerDeps, route: Route, call: RequestScope, stored: Stored): Promise<Buffer> {
  const known = deps.encodings.find(route.apiVersion, stored);
  if (known) return known;
  const made = await convert(deps, route, call, stored);
  return deps.encodings.get(route.apiVersion, stored, () => made);
}

/** Objects of another version than the stored one: their messages are made beforehand, since somebody else may convert them. */
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

/** Milliseconds after which others have their turn while messages are made. */
const longest = 10;

/** Number of items, or of their bytes, after which the clock is read. */
const stride = 32;
const strideBytes = 128 * 1024;
/** Messages up to this size together are kept at hand while a list is sent; others are looked for again. */
const atHandBytes = 16 * 1024 * 1024;

interface Measured {
  /** Of all items with what stands before each. */
  readonly length: number;
  /** Messages of the first items. */
  readonly atHand: readonly Buffer[];
}

/** The event loop is free now and then: they may all have to be made. */
async function measure(form: Form, items: readonly Stored[]): Promise<Measured> {
  const atHand: Buffer[] = [];
  let total = 0;
  let began = performance.now();
  let looked = 0;
  for (const [index, stored] of items.entries()) {
    let length: number;
    if (total < atHandBytes) {
      const message = form.message(stored);
      atHand.push(message);
      ({ length } = message);
    } else length = form.length(stored);
    total += blockHeadLength(length) + length;
    if (index % stride !== 0 && total - looked < strideBytes) continue;
    looked = total;
    if (performance.now() - began < longest) continue;
    await nextTurn();
    began = performance.now();
  }
  return { length: total, atHand };
}

/** Of all lists. */
const itemsField = 2;

/** A list whose items are messages that are there, or are made while it is sent. */
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
  const { length, atHand } = await measure(form, items);
  const { head, tail } = envelopeOf(apiVersion, listKind, start.length + length);
  return packed({
    ...{ head: Buffer.concat([head, start]), tail, count: items.length },
    length: head.length + start.length + length + tail.length,
    source: index => atHand[index] ?? form.message(items[index] as Stored),
    skipped: () => 0,
    before: (pack, used, _, length) => putBlockHead(pack, used, itemsField, length),
  });
}

/** hot: one object. */
export function protobufAnswer(
  deps: HandlerDeps,
  route: Route,
  representation: Representation,
  stored: Stored,
): Buffer {
  const form = isPartial(representation) ? partialForm(deps, route, representation.version) : wholeForm(deps, route);
  return enveloped(form.apiVersion, form.kind, form.message(stored));
}

type Change = Exclude<Event, { type: 'BOOKMARK' }>;

/** hot: how the changes of a watch become frames, which all share who watch in this form. */
export function protobufChanges(
  deps: HandlerDeps,
  route: Route,
  representation: Representation,
  call: RequestScope,
): (change: Change) => Buffer | Promise<Buffer> {
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
    const gone = type === 'DELETED';
    if (converts) return (gone ? convert : convertedMessage)(deps, route, call, stored).then(framed);
    return framed(gone ? form.encode(stored) : form.message(stored));
  };
}
