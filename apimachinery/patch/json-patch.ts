/**
 * JSON patch, RFC 6902 with the deviations of the library that kube-apiserver uses (evanphx/json-patch 4): it allows negative indices,
 * `replace` and `copy` of a missing key of an object, `add` and `replace` without value (null), and a pointer without leading slash.
 */
import type { JsonObject } from '../interface.js';
import { containersIn, depthOf, maxDepth } from '../../lib/json/depth.js';
import { goJson } from '../../lib/go/go-text.js';
import { Literal, isStringLiteral, stringOf } from '../../lib/json/literal.js';
import { type InSteps, Strides, atOnce } from '../../lib/time-slice.js';
import { badRequest, patchedUndecodable, patchRejected, tooLarge } from '../errors/status.js';
import { overflow } from '../codec/decode.js';
import { bytesSteps, same, sameSteps } from './json-patch-values.js';
import { ownMember, isObject } from './json.js';
import { pointerTokens } from './json-pointer.js';
import { OpenedObject } from './opened-object.js';
import { SplitList } from './split-list.js';

export interface JsonPatchOp {
  readonly op: string;
  readonly path: string;
  readonly from?: string;
  readonly value?: unknown;
  /** Unknown fields are ignored, or reported by `unknownJsonPatchFields`. */
  readonly [field: string]: unknown;
}

const maxOperations = 10_000;
/** Bytes that `copy` may add to a document: the limit of a request body. */
const maxCopied = 3 * 1024 * 1024;

/** The document while it is patched. */
interface Draft {
  root: unknown;
  /** An upper bound of the nesting depth; Infinity before it is measured for the first time. */
  bound: number;
  /** Lists that this patch may change: its copies. All other plain values are shared with the inputs. */
  readonly opened: Set<object>;
  /** Bytes added by `copy`. */
  copied: number;
  /** Values visited to measure nesting depth. */
  walked: number;
}

type List = unknown[] | SplitList;
type Container = OpenedObject | List;

const isList = (container: unknown): container is List => Array.isArray(container) || container instanceof SplitList;

/** Longer lists are split: each of ten thousand operations may move all items after the changed one. */
const longList = 4096;

const indexForm = /^[+-]?[0-9]+$/;

/** Returns the index that a token of a pointer denotes in an array; negative ones count from the end. Throws 422. */
function indexOf(token: string, length: number): number {
  if (!indexForm.test(token)) throw patchRejected();
  const index = Number(token);
  if (index >= length || index < -length) throw patchRejected();
  return index < 0 ? index + length : index;
}

/** Returns a form of a container that the patch may change; the container itself if it is one. Throws 422 for scalars. */
function open(draft: Draft, value: unknown): Container {
  if (value instanceof OpenedObject || value instanceof SplitList) return value;
  if (Array.isArray(value)) return openList(draft, value);
  if (!isObject(value)) throw patchRejected();
  return new OpenedObject(value);
}

function openList({ opened }: Draft, list: unknown[]): List {
  if (opened.has(list)) return list;
  if (list.length > longList) return new SplitList(list);
  const copy = [...list];
  opened.add(copy);
  return copy;
}

function read(container: Container, token: string): unknown {
  return isList(container) ? container.at(indexOf(token, container.length)) : container.get(token);
}

/** Returns the last token of a pointer, and the container that it is in, opened for changes. Throws 422. */
function enter(draft: Draft, pointer: string): { container: Container; token: string } {
  let container: Container | undefined;
  for (const { token, isLast } of pointerTokens(pointer)) {
    if (!container) draft.root = container = open(draft, draft.root);
    if (isLast) return { container, token };
    const next = open(draft, read(container, token));
    set(container, token, next);
    container = next;
  }
  throw patchRejected();
}

function insert(container: Container, token: string, value: unknown): void {
  if (!isList(container)) return container.set(token, value);
  const index = token === '-' ? container.length : indexOf(token, container.length + 1);
  if (container instanceof SplitList) container.insert(index, value);
  else container.splice(index, 0, value);
}

/** Removes and returns a value. Throws 422 if there is none. */
function cut(container: Container, token: string): unknown {
  if (isList(container)) {
    const index = indexOf(token, container.length);
    return container instanceof SplitList ? container.cut(index) : container.splice(index, 1)[0];
  }
  if (!container.has(token)) throw patchRejected();
  const value = container.get(token);
  container.remove(token);
  return value;
}

function set(container: Container, token: string, value: unknown): void {
  if (!isList(container)) return container.set(token, value);
  const index = indexOf(token, container.length);
  if (container instanceof SplitList) container.set(index, value);
  else container[index] = value;
}

const valueOf = (op: JsonPatchOp): unknown => (op.value === undefined ? null : op.value);

function from(op: JsonPatchOp): string {
  if (typeof op.from !== 'string') throw patchRejected();
  return op.from;
}

/** The operations. Each returns the value that it has put at its path. */
const operations: Readonly<Record<string, (draft: Draft, op: JsonPatchOp) => unknown>> = {
  add: (draft, op) => {
    const { container, token } = enter(draft, op.path);
    insert(container, token, valueOf(op));
    return op.value;
  },
  remove: (draft, op) => {
    const { container, token } = enter(draft, op.path);
    cut(container, token);
    return undefined;
  },
  replace: (draft, op) => {
    if (op.path === '') {
      if (typeof op.value !== 'object' || op.value === null) throw patchRejected();
      draft.root = op.value;
      return op.value;
    }
    const { container, token } = enter(draft, op.path);
    set(container, token, valueOf(op));
    return op.value;
  },
  move: (draft, op) => {
    const source = enter(draft, from(op));
    const value = cut(source.container, source.token);
    const { container, token } = enter(draft, op.path);
    insert(container, token, value);
    return value;
  },
  copy: (draft, op) => insertCopy(draft, op, settle(copied(draft, op), draft.opened)),
  test: (draft, op) => {
    if (!same(tested(draft, op), valueOf(op))) throw patchRejected();
    return undefined;
  },
};

/** Returns the value to copy. Later operations may change its opened parts, but must not change the copy. */
function copied(draft: Draft, op: JsonPatchOp): unknown {
  const { container, token } = enter(draft, from(op));
  return read(container, token) ?? null;
}

function insertCopy(draft: Draft, op: JsonPatchOp, value: unknown, bytes = Buffer.byteLength(goJson(value))): unknown {
  const { container, token } = enter(draft, op.path);
  draft.copied += bytes;
  if (draft.copied > maxCopied) throw patchRejected();
  insert(container, token, value);
  return value;
}

function tested(draft: Draft, { path }: JsonPatchOp): unknown {
  if (path === '') return draft.root;
  const { container, token } = enter(draft, path);
  return read(container, token) ?? null;
}

/** The operations that take long for large values, in steps. */
const longOperations: Readonly<Record<string, (draft: Draft, op: JsonPatchOp) => InSteps<unknown>>> = {
  *copy(draft, op) {
    const value = yield* settleSteps(copied(draft, op), draft.opened);
    return insertCopy(draft, op, value, yield* bytesSteps(value));
  },
  *test(draft, op) {
    if (!(yield* sameSteps(tested(draft, op), valueOf(op)))) throw patchRejected();
    return undefined;
  },
};

/** Visits take some 50 ms. Each of ten thousand operations may move a large part of the document. */
const maxWalked = 1_000_000;

function depthIn(draft: Draft, value: unknown): number {
  return depthOf(value, maxDepth, (each, out) => {
    draft.walked += containersIn(membersOf(each), out);
    if (draft.walked > maxWalked) throw tooLarge('the JSON patch moves too large a part of the object too often');
  });
}

/** Returns an object or a list with the same items or members. */
function membersOf(container: object): object {
  if (container instanceof SplitList) return container.toArray();
  return container instanceof OpenedObject ? container.keys().map(key => container.get(key)) : container;
}

/**
 * Throws 422 if the value that an operation has put at its path makes the document too deep. hot: depth is measured only when the bound allows too
 * much.
 */
function checkDepth(draft: Draft, { op, path }: JsonPatchOp, value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  if (draft.bound < Infinity) {
    const moves = op === 'move' || op === 'copy';
    const above = path.split('/').length;
    const isWithin = moves && above + draft.bound <= maxDepth;
    draft.bound = Math.max(draft.bound, above + (isWithin ? draft.bound : depthIn(draft, value)));
    if (draft.bound <= maxDepth) return;
  }
  draft.bound = depthIn(draft, draft.root);
  if (draft.bound > maxDepth) throw patchedUndecodable('<value omitted>', "invalid character '{' exceeded max depth");
}

/** Returns a value with its opened objects sorted by key, as Go writes a map, and its split lists as arrays. Shares all other parts. */
function settle(value: unknown, opened: ReadonlySet<object>): unknown {
  if (value instanceof OpenedObject) return value.plain(member => settle(member, opened));
  if (value instanceof SplitList) return value.toArray().map(item => settle(item, opened));
  return Array.isArray(value) && opened.has(value) ? value.map(item => settle(item, opened)) : value;
}

/** As `settle`, in steps. */
function* settleSteps(value: unknown, opened: ReadonlySet<object>): InSteps<unknown> {
  if (value instanceof OpenedObject) return yield* value.plainSteps('sorted', member => settleSteps(member, opened));
  if (!(value instanceof SplitList) && !(Array.isArray(value) && opened.has(value))) return value;
  const strides = new Strides();
  const out: unknown[] = [];
  for (const item of value instanceof SplitList ? value.toArray() : value) {
    out.push(typeof item === 'object' ? yield* settleSteps(item, opened) : item);
    if (strides.isOver) yield;
  }
  return out;
}

/** Returns whether the document has a value at a path of keys and indexes. */
type HasValue = (path: readonly string[]) => boolean;

function hasValueAt(root: unknown, path: readonly string[]): boolean {
  let value = root;
  for (const token of path) {
    if (value instanceof SplitList || Array.isArray(value)) {
      const index = Number(token);
      value = Number.isInteger(index) && index >= 0 && index < value.length ? value.at(index) : undefined;
    } else if (value instanceof OpenedObject) value = value.get(token);
    else if (isObject(value)) value = ownMember(value, token);
    else return false;
  }
  return value !== undefined;
}

/**
 * Returns the document after all operations. Neither input is changed; unchanged parts are shared with `doc`.
 * Errors: 422 without the reason for an operation that fails, 413 for more than 10000 operations, or for operations that move too much.
 */
export const applyJsonPatch = (doc: unknown, ops: readonly JsonPatchOp[]): unknown => atOnce(jsonPatchSteps(doc, ops));

/** As `applyJsonPatch`, in steps, for a document or a patch that may be large. */
export function jsonPatchSteps(doc: unknown, ops: readonly JsonPatchOp[]): InSteps<unknown> {
  if (ops.length > maxOperations)
    throw tooLarge(`The allowed maximum operations in a JSON patch is ${maxOperations}, got ${ops.length}`);
  return checkedSteps(doc, ops, noCheck);
}

type Check = (op: JsonPatchOp, hasValue: HasValue) => void;
const noCheck: Check = () => undefined;

/**
 * As `applyJsonPatch`, for any number of operations. `check` is called before each, with a function on the document at that time; an error
 * that it throws ends the patch.
 */
export const applyChecked = (doc: unknown, ops: readonly JsonPatchOp[], check: Check): unknown =>
  atOnce(checkedSteps(doc, ops, check));

function* checkedSteps(doc: unknown, ops: readonly JsonPatchOp[], check: Check): InSteps<unknown> {
  const draft: Draft = { root: doc, opened: new Set(), copied: 0, bound: Infinity, walked: 0 };
  const hasValue: HasValue = path => hasValueAt(draft.root, path);
  const isAtOnce = (yield) === true;
  for (const op of ops) {
    check(op, hasValue);
    const run = Object.hasOwn(operations, op.op) ? operations[op.op] : undefined;
    if (run === undefined || typeof op.path !== 'string') throw patchRejected();
    const long = isAtOnce ? undefined : longOperations[op.op];
    checkDepth(draft, op, long ? yield* long(draft, op) : run(draft, op));
    if (!isAtOnce) yield;
  }
  return isAtOnce ? settle(draft.root, draft.opened) : yield* settleSteps(draft.root, draft.opened);
}

const goKinds: Readonly<Record<string, string>> = {
  string: 'string',
  number: 'number',
  bigint: 'number',
  boolean: 'bool',
};

/** Returns the kind of a JSON value in the errors of encoding/json. */
export function jsonKind(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  if (value instanceof Literal) return isStringLiteral(value) ? 'string' : 'number';
  return goKinds[typeof value] ?? 'object';
}

/** The parts of decoding errors: those of the check of fields, which comes before the patch library, and those of the library. */
const decoders = {
  checked: { head: 'error decoding patch: ', list: '[]handlers.jsonPatchOp', item: 'handlers.jsonPatchOp' },
  unchecked: { head: '', list: 'jsonpatch.Patch', item: 'jsonpatch.Operation' },
} as const;

/**
 * Returns the operations of a decoded body; none for `null`. `checked`: fieldValidation is Warn or Strict.
 * Errors: 400 with the text of encoding/json.
 */
export function decodeJsonPatch(body: unknown, mode: keyof typeof decoders = 'checked'): JsonPatchOp[] {
  const texts = decoders[mode];
  const cannot = (found: unknown, where: string): Error =>
    badRequest(`${texts.head}json: cannot unmarshal ${jsonKind(found)} into Go ${where}`);
  const check = (field: string, found: unknown): void => {
    const where = (type: string): string => `struct field jsonPatchOp.${field} of type ${type}`;
    if (field !== 'value') {
      if (found !== null && jsonKind(found) !== 'string') throw cannot(found, where('string'));
      return;
    }
    const number = overflow(found);
    if (number !== undefined)
      throw badRequest(`${texts.head}json: cannot unmarshal number ${number} into Go ${where('float64')}`);
  };
  if (body === null) return [];
  if (!Array.isArray(body)) throw cannot(body, `value of type ${texts.list}`);
  return body.map((item: unknown) => {
    if (item === null) return { op: '', path: '' };
    if (!isObject(item)) throw cannot(item, `value of type ${texts.item}`);
    if (mode === 'checked') for (const field of Object.keys(item)) if (opFields.has(field)) check(field, item[field]);
    return plainOp(item) as JsonPatchOp;
  });
}

const opFields = new Set(['op', 'path', 'from', 'value']);

/** Returns an operation with strings in place of Literals, except in its value. */
function plainOp(item: JsonObject): JsonObject {
  if (!Object.keys(item).some(field => field !== 'value' && item[field] instanceof Literal)) return item;
  const plain = Object.entries(item).map(([field, found]) => {
    const text = field !== 'value' && found instanceof Literal && isStringLiteral(found);
    return [field, text ? stringOf(found) : found];
  });
  return Object.fromEntries(plain) as JsonObject;
}

/** Returns the unknown fields of operations as fieldValidation reports them: `json patch unknown field "[0].foo"`. */
export function unknownJsonPatchFields(ops: readonly JsonPatchOp[]): string[] {
  const unknown = ops.flatMap((op, i) =>
    Object.keys(op)
      .filter(key => !opFields.has(key))
      .map(key => `[${i}].${key}`),
  );
  return unknown.map(path => `json patch unknown field "${path}"`);
}
