/**
 * JSON patch, RFC 6902 with the habits of the library that kube-apiserver uses (evanphx/json-patch 4): negative indices,
 * `replace` and `copy` of a missing key of an object, `add` and `replace` without value (null), a pointer without leading slash.
 */
import type { JsonObject } from '../interface.js';
import { setKey } from '../../lib/json/clone.js';
import { depthOf, maxDepth } from '../../lib/json/depth.js';
import { goJson } from '../../lib/go/go-text.js';
import { Literal, isText, textOf } from '../../lib/json/literal.js';
import { badRequest, patchedUndecodable, patchRejected, tooLarge } from '../errors/status.js';
import { overflow } from '../codec/decode.js';
import { get, has, isObject, sortedByKey } from './json.js';
import { pointerTokens } from './json-pointer.js';
import { SplitList } from './split-list.js';

export interface JsonPatchOp {
  readonly op: string;
  readonly path: string;
  readonly from?: string;
  readonly value?: unknown;
}

const maxOperations = 10_000;
/** The limit of a request body: what `copy` may add to a document. */
const maxCopied = 3 * 1024 * 1024;

/** The document while it is patched: what was opened is ours to change, everything else is shared with the inputs. */
interface Draft {
  root: unknown;
  /** It nests no deeper than this. */
  bound: number;
  readonly opened: Set<object>;
  copied: number;
  /** Values that were looked at to find out how deep the document is. */
  walked: number;
}

type List = unknown[] | SplitList;
type Container = JsonObject | List;

const isList = (container: Container): container is List => Array.isArray(container) || container instanceof SplitList;

/** Longer lists are held in pieces: each of ten thousand operations may move all that is behind it. */
const longList = 4096;

const indexForm = /^[+-]?[0-9]+$/;

/** The index that a token of a pointer means in an array, counted from the end when negative. */
function indexOf(token: string, length: number): number {
  if (!indexForm.test(token)) throw patchRejected();
  const index = Number(token);
  if (index >= length || index < -length) throw patchRejected();
  return index < 0 ? index + length : index;
}

function open(draft: Draft, value: unknown): Container {
  if (typeof value !== 'object' || value === null || value instanceof Literal) throw patchRejected();
  if (draft.opened.has(value)) return value as Container;
  const copy: Container = Array.isArray(value) ? openList(value) : { ...(value as JsonObject) };
  draft.opened.add(copy);
  return copy;
}

const openList = (list: readonly unknown[]): List => (list.length > longList ? new SplitList(list) : [...list]);

function read(container: Container, token: string): unknown {
  return isList(container) ? container.at(indexOf(token, container.length)) : get(container, token);
}

/** The container that holds the last token of a pointer, opened for changes, and that token. */
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
 * Are two values the same to `test`? Objects by their keys, null being another value than none; scalars by their texts: 1 and 1.0 are not
 * the same, nor is a text with `<` in it and the same without the escape that Go writes. as evanphx/json-patch lazyNode.equal
 */
// differs: null inside of a list is a value like others; upstream panics.
function same(a: unknown, b: unknown): boolean {
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((item, i) => same(item, b[i]));
  if (!isObject(a)) return !Array.isArray(b) && !isObject(b) && written(a) === written(b);
  if (!isObject(b)) return false;
  const keys = keysOf(a);
  return keys.length === keysOf(b).length && keys.every(key => has(b, key) && same(a[key], b[key]));
}

const written = (scalar: unknown): string => (scalar instanceof Literal ? scalar.text : goJson(scalar));
const keysOf = (object: JsonObject): string[] => Object.keys(object).filter(key => object[key] !== undefined);

/** Each answers what it has put at its path. */
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
    // a value that was opened may still be changed where it stands: the copy must not follow
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

const partsOf = (value: object): readonly unknown[] =>
  value instanceof SplitList ? value.toArray() : Object.values(value);

/** Some 50 ms. Each of ten thousand operations may move a large part of the document. */
const maxWalked = 1_000_000;

function depthIn(draft: Draft, value: unknown): number {
  return depthOf(value, maxDepth, each => {
    const parts = partsOf(each);
    draft.walked += parts.length;
    if (draft.walked > maxWalked) throw tooLarge('the JSON patch moves too large a part of the object too often');
    return parts;
  });
}

/** What an operation has put where it is may go deeper than anything before. hot: the document is looked at only when it may be too deep. */
function keepShallow(draft: Draft, { op, path }: JsonPatchOp, value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  const moves = op === 'move' || op === 'copy';
  const above = path.split('/').length;
  const surely = moves && above + draft.bound <= maxDepth;
  draft.bound = Math.max(draft.bound, above + (surely ? draft.bound : depthIn(draft, value)));
  if (draft.bound <= maxDepth) return;
  draft.bound = depthIn(draft, draft.root);
  if (draft.bound > maxDepth) throw patchedUndecodable('<value omitted>', "invalid character '{' exceeded max depth");
}

/** Containers that were opened are written as Go writes a map: sorted. What was not touched keeps its order. */
function settle(value: unknown, opened: Set<object>): unknown {
  if (typeof value !== 'object' || value === null || !opened.has(value)) return value;
  if (value instanceof SplitList) return value.toArray().map(item => settle(item, opened));
  if (Array.isArray(value)) return value.map(item => settle(item, opened));
  const out = sortedByKey(value as JsonObject);
  for (const key of Object.keys(out)) setKey(out, key, settle(out[key], opened));
  return out;
}

/** Whether the document has a value other than undefined at a path of keys and indexes. */
type Holds = (path: readonly string[]) => boolean;

function holdsAt(root: unknown, path: readonly string[]): boolean {
  let value = root;
  for (const token of path) {
    if (value instanceof SplitList || Array.isArray(value)) {
      const index = Number(token);
      value = Number.isInteger(index) && index >= 0 && index < value.length ? value.at(index) : undefined;
    } else if (isObject(value)) value = get(value, token);
    else return false;
  }
  return value !== undefined;
}

/**
 * The document after all operations. Neither input is changed; what the operations did not touch is shared with `doc`.
 * Errors: 422 without an own text for an operation that fails, 413 for more than 10000 operations, or for operations that move too much.
 */
export function applyJsonPatch(doc: unknown, ops: readonly JsonPatchOp[]): unknown {
  if (ops.length > maxOperations)
    throw tooLarge(`The allowed maximum operations in a JSON patch is ${maxOperations}, got ${ops.length}`);
  return applyChecked(doc, ops, () => undefined);
}

/**
 * The same of any number of operations, in time by their number. `check` is called before each operation, with what the document holds then; what
 * it throws ends the patch.
 */
export function applyChecked(
  doc: unknown,
  ops: readonly JsonPatchOp[],
  check: (op: JsonPatchOp, holds: Holds) => void,
): unknown {
  const draft: Draft = { root: doc, opened: new Set(), copied: 0, bound: Infinity, walked: 0 };
  const holds: Holds = path => holdsAt(draft.root, path);
  for (const op of ops) {
    check(op, holds);
    const run = Object.hasOwn(operations, op.op) ? operations[op.op] : undefined;
    if (run === undefined || typeof op.path !== 'string') throw patchRejected();
    keepShallow(draft, op, run(draft, op));
  }
  return settle(draft.root, draft.opened);
}

const goKinds: Readonly<Record<string, string>> = {
  string: 'string',
  number: 'number',
  bigint: 'number',
  boolean: 'bool',
};

/** What encoding/json calls a JSON value in its errors. */
export function jsonKind(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  if (value instanceof Literal) return isText(value) ? 'string' : 'number';
  return goKinds[typeof value] ?? 'object';
}

/** What the texts of decoding errors say, which depends on who decodes: the check of fields comes before the patch library. */
const decoders = {
  checked: { head: 'error decoding patch: ', list: '[]handlers.jsonPatchOp', item: 'handlers.jsonPatchOp' },
  unchecked: { head: '', list: 'jsonpatch.Patch', item: 'jsonpatch.Operation' },
} as const;

/**
 * Returns a decoded JSON body as operations; `null` is none. `checked`: fieldValidation is Warn or Strict.
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
    return plainOp(item) as unknown as JsonPatchOp;
  });
}

const opFields = new Set(['op', 'path', 'from', 'value']);

/** An operation whose value alone is as it was written. */
function plainOp(item: JsonObject): JsonObject {
  if (!Object.keys(item).some(field => field !== 'value' && item[field] instanceof Literal)) return item;
  const plain = Object.entries(item).map(([field, found]) => {
    const text = field !== 'value' && found instanceof Literal && isText(found);
    return [field, text ? textOf(found) : found];
  });
  return Object.fromEntries(plain) as JsonObject;
}

/** Fields of operations that nobody reads, as fieldValidation reports them: `json patch unknown field "[0].foo"`. */
export function unknownJsonPatchFields(ops: readonly JsonPatchOp[]): string[] {
  const unknown = ops.flatMap((op, i) =>
    Object.keys(op)
      .filter(key => !opFields.has(key))
      .map(key => `[${i}].${key}`),
  );
  return unknown.map(path => `json patch unknown field "${path}"`);
}
