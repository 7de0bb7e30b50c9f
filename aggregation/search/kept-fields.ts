/** Reduces objects to the fields that a mirror keeps, so that the mirrors of large kinds take less memory. */
import type { KubeObject } from '../../apimachinery/interface.js';

/** Maximum number of fields; further ones are not kept. */
const maxFields = 100;

/** The fields below a field; undefined for all of them. */
type Kept = Map<string, Kept> | undefined;

type Plain = Readonly<Record<string, unknown>>;

/** What is always kept of the metadata. */
const metadataFields =
  'name namespace uid resourceVersion generation creationTimestamp deletionTimestamp labels ownerReferences'.split(' ');

/** Adds a path to a tree. A field that is kept as a whole stays so. */
function add(tree: Map<string, Kept>, path: readonly string[]): void {
  const [first = '', ...rest] = path;
  if (tree.has(first) && tree.get(first) === undefined) return;
  if (rest.length === 0) return void tree.set(first, undefined);
  const below = tree.get(first) ?? new Map<string, Kept>();
  tree.set(first, below);
  add(below, rest);
}

/** Returns the part of a value that is kept; undefined if it has none. A path goes on in each element of a list. */
function partOf(value: unknown, kept: Kept): unknown {
  if (!kept) return value;
  if (Array.isArray(value)) {
    const parts = value.map((each: unknown) => partOf(each, kept)).filter(part => part !== undefined);
    return parts.length > 0 ? parts : undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const parts: [string, unknown][] = [];
  for (const [name, below] of kept) {
    const part = Object.hasOwn(value, name) ? partOf((value as Plain)[name], below) : undefined;
    if (part !== undefined) parts.push([name, part]);
  }
  // Unlike an assignment, it also makes a property `__proto__`.
  return parts.length > 0 ? Object.fromEntries(parts) : undefined;
}

/** Returns the paths in the text of an annotation: `spec.nodeName, status.phase`. */
export const keptPaths = (text: string): readonly string[] =>
  text
    .split(',')
    .map(path => path.trim())
    .filter(path => path !== '');

/** The fields that a mirror keeps: the type, most of the metadata, and those of some paths. */
export class KeptFields {
  readonly #tree = new Map<string, Kept>();

  constructor(paths: readonly string[]) {
    for (const name of metadataFields) add(this.#tree, ['metadata', name]);
    for (const path of paths.slice(0, maxFields)) add(this.#tree, path.split('.'));
  }

  /** Returns the object with the kept fields only. */
  of(object: KubeObject): KubeObject {
    const { apiVersion, kind } = object;
    const part = partOf(object, this.#tree) as Partial<KubeObject> | undefined;
    return { ...part, apiVersion, kind, metadata: part?.metadata ?? {} };
  }
}
