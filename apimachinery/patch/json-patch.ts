/**
 * JSON patch, RFC 6902 with the deviations of the library that kube-apiserver uses (evanphx/json-patch 4): it allows negative indices,
 * `replace` and `copy` of a missing key of an object, `add` and `replace` without value (null), and a pointer without leading slash.
 */
import type { JsonObject } from '../interface.js';
import { setKey } from '../../lib/json/clone.js';
import { containersIn, depthOf, maxDepth } from '../../lib/json/depth.js';
import { goJson } from '../../lib/go/go-text.js';
import { Literal, isStringLiteral, stringOf } from '../../lib/json/literal.js';
import { badRequest, patchedUndecodable, patchRejected, tooLarge } from '../errors/status.js';
import { overflow } from '../codec/decode.js';
import { ownMember, has, isObject, sortedByKey } from './json.js';
import { pointerTokens } from './json-pointer.js';
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
  /** Copies made by this patch, which it may change. All other parts are shared with the inputs. */
  readonly opened: Set<object>;
  /** Bytes added by `copy`. */
  copied: number;
  /** Values visited to measure nesting depth. */
  walked: number;
}

type List = unknown[] | SplitList;
type Container = JsonObject | List;

const isList = (container: Container): container is List => Array.isArray(container) || container instanceof SplitList;

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

/** Returns a copy of a container that the patch may change; the container itself if it is such a copy. Throws 422 for scalars. */
function open(draft: Draft, value: unknown): Container {
  if (typeof value !== 'object' || value === null || value instanceof Literal) throw patchRejected();
  if (draft.opened.has(value)) return value as Container;
  const copy: Container = Array.isArray(value) ? openList(value) : { ...(value as JsonObject) };
  draft.opened.add(copy);
  return copy;
}

const openList = (list: readonly unknown[]): List => (list.length > longList ? new SplitList(list) : [...list]);

function read(container: Container, token: string): unknown {
  return isList(container) ? container.at(indexOf(token, container.length)) : ownMember(container, token);
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
  if (!isList(container)) return setKey(container, token, value);
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
  if (!has(container, token)) throw patchRejected();
  const value = container[token];
  delete container[token];
  return value;
}

function set(container: Container, token: string, value: unknown): void {
  if (!isList(container)) return setKey(container, token, value);
  const index = indexOf(token, container.length);
  if (container instanceof SplitList) container.set(index, value);
  else container[index] = value;
}

const valueOf = (op: JsonPatchOp): unknown => (op.value === undefined ? null : op.value);

function from(op: JsonPatchOp): string {
  if (typeof op.from !== 'string') throw patchRejected();
  return op.from;
}

/**
 * Returns whether `test` takes two values as equal. Scalars are compared by their JSON: 1 and 1.0 differ, and so do strings with and without
 * the escape that Go writes for `<`. A null field differs from a missing one. as evanphx/json-patch lazyNode.equal
 */
// differs: upstream panics for null in a list.
function same(a: unknown, b: unknown): boolean {
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((item, i) => same(item, b[i]));
  if (!isObject(a)) return !Array.isArray(b) && !isObject(b) && written(a) === written(b);
  if (!isObject(b)) return false;
  const keys = keysOf(a);
  return keys.length === keysOf(b).length && keys.every(key => has(b, key) && same(a[key], b[key]));
}

const written = (scalar: unknown): string => (scalar instanceof Literal ? scalar.text : goJson(scalar));
const keysOf = (object: JsonObject): string[] => Object.keys(object).filter(key => object[key] !== undefined);

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
  copy: (draft, op) => {
    const source = enter(draft, from(op));
    // Later operations may change an opened value, but must not change its copy.
    const value = settle(read(source.container, source.token) ?? null, draft.opened);
    const { container, token } = enter(draft, op.path);
    draft.copied += Buffer.byteLength(goJson(value));
    if (draft.copied > maxCopied) throw patchRejected();
    insert(container, token, value);
    return value;
  },
  test: (draft, op) => {
    let found = draft.root;
    if (op.path !== '') {
      const { container, token } = enter(draft, op.path);
      found = read(container, token);
    }
    if (!same(settle(found ?? null, draft.opened), valueOf(op))) throw patchRejected();
    return undefined;
  },
};

/** Visits take some 50 ms. Each of ten thousand operations may move a large part of the document. */
const maxWalked = 1_000_000;

function depthIn(draft: Draft, value: unknown): number {
  return depthOf(value, maxDepth, (each, out) => {
    draft.walked += containersIn(each instanceof SplitList ? each.toArray() : each, out);
    if (draft.walked > maxWalked) throw tooLarge('the JSON patch moves too large a part of the object too often');
  });
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
function settle(value: unknown, opened: Set<object>): unknown {
  if (typeof value !== 'object' || value === null || !opened.has(value)) return value;
  if (value instanceof SplitList) return value.toArray().map(item => settle(item, opened));
  if (Array.isArray(value)) return value.map(item => settle(item, opened));
  const out = sortedByKey(value as JsonObject);
  for (const key of Object.keys(out)) setKey(out, key, settle(out[key], opened));
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
    } else if (isObject(value)) value = ownMember(value, token);
    else return false;
  }
  return value !== undefined;
}

/**
 * Returns the document after all operations. Neither input is changed; unchanged parts are shared with `doc`.
 * Errors: 422 without the reason for an operation that fails, 413 for more than 10000 operations, or for operations that move too much.
 */
export function applyJsonPatch(doc: unknown, ops: readonly JsonPatchOp[]): unknown {
  if (ops.length > maxOperations)
    throw tooLarge(`The allowed maximum operations in a JSON patch is ${maxOperations}, got ${ops.length}`);
  return applyChecked(doc, ops, () => undefined);
}

/**
 * As `applyJsonPatch`, for any number of operations. `check` is called before each, with a function on the document at that time; an error
 * that it throws ends the patch.
 */
export function applyChecked(
  doc: unknown,
  ops: readonly JsonPatchOp[],
  check: (op: JsonPatchOp, hasValue: HasValue) => void,
): unknown {
  const draft: Draft = { root: doc, opened: new Set(), copied: 0, bound: Infinity, walked: 0 };
  const hasValue: HasValue = path => hasValueAt(draft.root, path);
  for (const op of ops) {
    check(op, hasValue);
    const run = Object.hasOwn(operations, op.op) ? operations[op.op] : undefined;
    if (run === undefined || typeof op.path !== 'string') throw patchRejected();
    checkDepth(draft, op, run(draft, op));
  }
  return settle(draft.root, draft.opened);
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
