/** Random objects of every kind, made from their schemas. Rules and printers accept or refuse them, and never throw. */
import t from 'tap';
import type { KubeObject } from '../../../apimachinery/interface.js';
import { DecodeError } from '../../../apimachinery/codec/decode-error.js';
import type { Schema } from '../../../apimachinery/codec/interface.js';
import type {
  Prepare,
  ResourceDefinition,
  StrategyContext,
  LongValidate,
  Validate,
  VersionDefinition,
} from '../../../registry/interface.js';
import { nativeDefinitions } from '../../../kinds/kubernetes/native.js';
import { now, outcomeOf } from './corpus.js';
import { faultsFrom } from './faults.js';

const objectsPerKind = 60;
const deep = 8;

/** Returns a generator of pseudo-random numbers from 0 to 1, the same in each run. */
function chance(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 1103515245 + 12345) & 0x7fffffff) / 0x80000000;
}

const texts = [
  ...['', 'a', 'A b', 'x/y', 'example.com/x', '10.0.0.1', '::1', '10.0.0.0/8', '8080', 'cpu', 'x'.repeat(70), 'é'],
  ...['Always', 'Never', 'None', 'http', 'TCP', 'In', 'Exists', 'ClientIP', 'NodePort', 'Service', 'Pod', 'Resource'],
  ...['2026-01-01T00:00:00Z', '*/5 * * * *', '.', '..', '../a', '/a', 'object.x == 1'],
];
const scalars: Readonly<Record<NonNullable<Schema['scalar']>, readonly unknown[]>> = {
  quantity: ['0', '1', '-1', '1Gi', '100m', '0.5', '1e3', '9223372036854775808'],
  time: [null, '2026-01-01T00:00:00Z'],
  microTime: [null, '2026-01-01T00:00:00.000001Z'],
  duration: ['0s', '1h', '-1s'],
  intOrString: [0, -1, 80, 70000, '50%', '150%', 'x', ''],
  rawExtension: [null, {}, { a: 1 }, 'x'],
  json: [null, {}, 'x'],
  fieldsV1: [null, {}],
};
const numbers = [0, 1, -1, 2, 80, 3600, 70000, 2147483647];

class ObjectGenerator {
  private readonly next: () => number;
  /** The share of fields that are set. */
  share = 0.5;
  constructor(seed: number) {
    this.next = chance(seed);
  }

  pick<T>(list: readonly T[]): T {
    return list[Math.floor(this.next() * list.length)] as T;
  }

  value(schema: Schema, depth = 0): unknown {
    if (this.next() < 0.02) return null;
    if (schema.scalar) return this.pick(scalars[schema.scalar]);
    switch (schema.type) {
      case 'string':
        return this.text(schema);
      case 'boolean':
        return this.next() < 0.5;
      case 'integer':
      case 'number':
        return this.pick(numbers);
      case 'array':
        return depth > deep ? [] : this.several(() => this.value(schema.items ?? {}, depth + 1));
      case 'object':
        return this.object(schema, depth);
      case undefined:
        return this.pick([null, 'x', {}]);
    }
  }

  private text({ format, enum: values }: Schema): unknown {
    if (format === 'byte') return this.pick(['', 'YQ==', 'AAEC']);
    return values && this.next() < 0.7 ? this.pick(values) : this.pick(texts);
  }

  private several<T>(make: () => T): T[] {
    return Array.from({ length: Math.floor(this.next() * 3) }, make);
  }

  private object({ additionalProperties: more, properties = {} }: Schema, depth: number): object {
    if (typeof more === 'object')
      return Object.fromEntries(this.several(() => [this.pick(texts), this.value(more, depth + 1)]));
    const names = Object.keys(properties);
    const share = depth > deep ? 0.05 : Math.min(this.share, 5 / Math.max(1, names.length) + this.share / 3);
    const isThere = (name: string): boolean =>
      this.next() < share || (depth < 3 && (name === 'spec' || name === 'template'));
    const there = Object.entries(properties).filter(([name]) => isThere(name));
    return Object.fromEntries(there.map(([name, schema]) => [name, this.value(schema, depth + 1)]));
  }
}

interface UpdateRules {
  readonly prepareUpdate: readonly Prepare[];
  readonly validateUpdate: readonly Validate[];
  readonly validateLong?: LongValidate | undefined;
}

/** Runs updates of the object and of its subresources. */
async function update(
  definition: ResourceDefinition,
  version: string,
  object: KubeObject,
  old: KubeObject,
): Promise<void> {
  const parts: [string, UpdateRules][] = [['', definition.strategy]];
  for (const [name, part] of Object.entries(definition.subresources))
    if (part.type === 'part') parts.push([name, part]);
  for (const [subresource, { prepareUpdate, validateUpdate: validate, validateLong }] of parts) {
    const context: StrategyContext = {
      ...{ user: { name: 'admin', groups: [] }, operation: 'update', namespace: 'space', subresource, version },
      ...{ dryRun: false, now, warn: () => undefined },
    };
    const draft = structuredClone(object);
    for (const prepare of prepareUpdate) prepare(draft, old, context);
    await faultsFrom({ validate, validateLong }, draft, old, context);
  }
  for (const warnings of definition.strategy.warnings) warnings(object, old);
}

async function validateRandom(
  definition: ResourceDefinition,
  version: VersionDefinition,
  seed: number,
): Promise<number> {
  const maker = new ObjectGenerator(seed);
  const { group, kind } = definition;
  let old: KubeObject | undefined;
  let faults = 0;
  for (let i = 0; i < objectsPerKind; i++) {
    maker.share = maker.pick([0.2, 0.5, 0.8]);
    const made = maker.value(version.schema) as object | null;
    const apiVersion = group === '' ? version.name : `${group}/${version.name}`;
    const body = { ...made, apiVersion, kind, metadata: { name: 'a' } };
    try {
      const create = { name: kind, definition, version, namespace: 'space', body, want: { status: 0, body: null } };
      const outcome = await outcomeOf(create);
      faults += outcome.faults.length;
      version.printer.row(outcome.object, now);
      for (const field of Object.values(version.selectableFields)) field(outcome.object);
      if (old) await update(definition, version.name, outcome.object, old);
      old = outcome.object;
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error;
    }
  }
  return faults;
}

t.test('rules and printers handle random objects of every kind', async t => {
  for (const definition of nativeDefinitions()) {
    if (definition.review || !definition.verbs.includes('create')) continue;
    for (const version of definition.versions)
      await t.resolves(
        validateRandom(definition, version, 1),
        `${definition.group}/${version.name} ${definition.kind}`,
      );
  }
});
