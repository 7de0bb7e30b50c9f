/** Pruning: removes fields that a structural schema does not declare. as apiextensions-apiserver/pkg/apiserver/schema/pruning */
import type { Schema } from '../../apimachinery/codec/interface.js';
import { compareTexts } from '../../lib/collections/compare-texts.js';
import { sortInSteps } from '../../lib/collections/sort-in-steps.js';
import { LargeValues } from '../../lib/json/large-values.js';
import type { InSteps } from '../../lib/time-slice.js';

type Plain = Record<string, unknown>;

/** The fields of every object, which its schema need not declare. */
const typeFields: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);

interface PruneOptions {
  /** The value is a whole object, whose apiVersion, kind and metadata are not pruned. */
  readonly root?: boolean;
}

const join = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);
const subSchema = (value: Schema | boolean | undefined): Schema | undefined =>
  typeof value === 'object' ? value : undefined;

/** Returns the schema of a key; null if it is not declared. `additionalProperties` without a schema allows the key, but no fields in it. */
function schemaOf(schema: Schema, name: string): Schema | undefined | null {
  if (schema.properties && Object.hasOwn(schema.properties, name)) return schema.properties[name];
  return schema.additionalProperties === undefined ? null : subSchema(schema.additionalProperties);
}

/** The place of a value in an object. */
interface Place {
  readonly schema: Schema | undefined;
  readonly path: string;
  /** The value is below x-kubernetes-preserve-unknown-fields, so that only its declared fields are pruned. */
  readonly preserves: boolean;
}

/** hot: Removes unknown fields, all of them at once. */
class Pruner {
  /** The paths of the removed fields. */
  readonly unknown: string[] = [];

  prune(value: object, schema: Schema | undefined, path: string, inPreserved: boolean): void {
    const preserves = inPreserved || schema?.['x-kubernetes-preserve-unknown-fields'] === true;
    const place = { schema, path, preserves };
    if (Array.isArray(value)) this.pruneItems(value, 0, value.length, place);
    else this.pruneMembers(value as Plain, Object.keys(value), place);
  }

  pruneItems(list: readonly unknown[], from: number, to: number, { schema, path, preserves }: Place): void {
    const items = schema?.items;
    if (preserves && !items) return;
    for (let i = from; i < to; i++) {
      const item = list[i];
      if (typeof item === 'object' && item !== null) this.prune(item, items, `${path}[${i}]`, preserves);
    }
  }

  pruneMembers(object: Plain, names: readonly string[], { schema, path, preserves }: Place): void {
    const isEmbedded = schema?.['x-kubernetes-embedded-resource'] === true;
    for (const name of names) {
      if (isEmbedded && typeFields.has(name)) continue;
      const found = schema ? schemaOf(schema, name) : null;
      if (found !== null) {
        const value = object[name];
        if (typeof value === 'object' && value !== null) this.prune(value, found, join(path, name), false);
        continue;
      }
      if (preserves) continue;
      if (!schema || path !== '' || !typeFields.has(name)) this.unknown.push(join(path, name));
      delete object[name];
    }
  }
}

/** A large value that has not been pruned yet. */
interface Pending extends Place {
  readonly value: object;
}

/** Values that are pruned in one step, which takes less than a millisecond. */
const maxValuesPerStep = 1000;
/** Members or items of a large value that are pruned in one step: each may be as large as `maxValuesPerStep`. */
const stride = 32;

/** Removes unknown fields, but leaves large values to later steps. */
class SteppedPruner extends Pruner {
  readonly #large = new LargeValues(maxValuesPerStep);
  readonly #pending: Pending[] = [];

  override prune(value: object, schema: Schema | undefined, path: string, inPreserved: boolean): void {
    if (!this.#large.isLarge(value)) return super.prune(value, schema, path, inPreserved);
    const preserves = inPreserved || schema?.['x-kubernetes-preserve-unknown-fields'] === true;
    this.#pending.push({ value, schema, path, preserves });
  }

  /** Prunes the values that are left. */
  *rest(): InSteps<void> {
    for (let next = this.#pending.pop(); next; next = this.#pending.pop()) {
      yield;
      yield* this.#level(next);
    }
  }

  *#level({ value, ...place }: Pending): InSteps<void> {
    const names = Array.isArray(value) ? undefined : this.#large.keysOf(value as Plain);
    const length = names?.length ?? (value as readonly unknown[]).length;
    for (let from = 0; from < length; from += stride) {
      const to = Math.min(from + stride, length);
      if (names) this.pruneMembers(value as Plain, names.slice(from, to), place);
      else this.pruneItems(value as readonly unknown[], from, to, place);
      yield;
    }
  }
}

/** Returns the schema for the pruning of a value. */
function pruningSchema(schema: Schema | undefined, { root }: PruneOptions): Schema | undefined {
  return root && !schema?.['x-kubernetes-embedded-resource']
    ? { ...schema, 'x-kubernetes-embedded-resource': true }
    : schema;
}

/** Removes unknown fields from a value in place. Returns their paths, sorted. */
export function prune(value: unknown, schema: Schema | undefined, options: PruneOptions = {}): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const pruner = new Pruner();
  pruner.prune(value, pruningSchema(schema, options), '', false);
  return pruner.unknown.sort();
}

/**
 * As `prune`, in steps, for values that may be large. The walk is that of `prune`, but an object of 2 KiB took 2.5 times as long: its size is counted
 * first.
 */
export function* pruneSteps(
  value: unknown,
  schema: Schema | undefined,
  options: PruneOptions = {},
): InSteps<readonly string[]> {
  if (typeof value !== 'object' || value === null) return [];
  const pruner = new SteppedPruner();
  pruner.prune(value, pruningSchema(schema, options), '', false);
  yield* pruner.rest();
  return yield* sortInSteps(pruner.unknown, compareTexts);
}
