/**
 * The parts of a schema that a typed merge needs: the forms that a value may have, which lists and maps are atomic, and the keys of list
 * items. A shape is computed from a Schema once.
 * as kube-openapi/pkg/schemaconv and structured-merge-diff/schema Atom
 */
import { once } from '../../../lib/collections/once.js';
import type { Schema } from '../../codec/interface.js';
import { objectMetaShapes } from './object-meta.js';

/** The forms that a value may have. Without a value, a map is preferred to a scalar, and a scalar to a list. */
export interface Shape {
  readonly scalar: 'numeric' | 'string' | 'boolean' | 'untyped' | undefined;
  readonly map: MapShape | undefined;
  readonly list: ListShape | undefined;
  /** The form, if there is only one. */
  readonly only: Form | undefined;
}

export type Form = 'map' | 'scalar' | 'list';

export interface MapShape {
  /** Whether the whole map is one field. */
  readonly atomic: boolean;
  /** Returns the shape of a declared field. */
  readonly field: (name: string) => Shape | undefined;
  /** Returns the shape of other keys; undefined if they are not allowed. */
  readonly element: () => Shape | undefined;
  /** Whether there is no declaration, so that types are deduced from values. */
  readonly deduced: boolean;
}

export interface ListShape {
  readonly atomic: boolean;
  /** The keys of a map list, sorted; empty for a set. */
  readonly keys: readonly string[];
  readonly element: () => Shape;
  /** Returns the value of a key that an item does not have. */
  readonly keyDefault: (name: string) => unknown;
}

const noField = (): undefined => undefined;

function shape(of: Partial<Omit<Shape, 'only'>>): Shape {
  const forms = (['map', 'scalar', 'list'] as const).filter(form => of[form] !== undefined);
  const [only] = forms;
  return { scalar: of.scalar, map: of.map, list: of.list, only: forms.length === 1 ? only : undefined };
}

const atomicList = (element: () => Shape): ListShape => ({ atomic: true, keys: [], element, keyDefault: noField });

/** The shape of any value as one field. as `__untyped_atomic_` */
const untypedAtomic: Shape = shape({
  scalar: 'untyped',
  list: atomicList(() => untypedAtomic),
  map: { atomic: true, field: noField, element: () => untypedAtomic, deduced: false },
});

/** The shape of any value, with granular maps and atomic lists. as `__untyped_deduced_` */
const deduced: Shape = shape({
  scalar: 'untyped',
  list: atomicList(() => untypedAtomic),
  map: { atomic: false, field: noField, element: () => deduced, deduced: true },
});

function scalarForm(schema: Schema): Shape {
  if (schema.type === 'boolean') return shape({ scalar: 'boolean' });
  if (schema.type !== 'string') return shape({ scalar: 'numeric' });
  const plain = schema.format === undefined || schema.format === '' || schema.format === 'byte';
  return shape({ scalar: plain ? 'string' : 'untyped' });
}

const zeros: Readonly<Record<string, unknown>> = { string: '', integer: 0, number: 0, boolean: false, object: {} };

/** Returns the default of a field. For a native field that is always written it is the zero value, even if the schema has none. */
function defaultOf(field: Schema | undefined): unknown {
  if (field?.default !== undefined) return field.default;
  return field?.presence === 'always' && field.nullable !== true ? zeros[field.type ?? ''] : undefined;
}

function listForm(schema: Schema, open: boolean): ListShape {
  const items = schema.items;
  const element = items ? once(() => shapeOf(items, open)) : () => untypedAtomic;
  const type = schema['x-kubernetes-list-type'];
  const strategy = schema['x-kubernetes-patch-strategy'] ?? '';
  const mergeKey = schema['x-kubernetes-patch-merge-key'];
  const merged = type === undefined && (strategy === 'merge' || strategy === 'merge,retainKeys');
  if (type !== 'set' && type !== 'map' && !merged) return atomicList(element);
  const keys = merged ? (mergeKey === undefined ? [] : [mergeKey]) : (schema['x-kubernetes-list-map-keys'] ?? []);
  return {
    atomic: false,
    keys: type === 'set' ? [] : [...keys].sort(),
    element,
    keyDefault: name => defaultOf(items?.properties?.[name]),
  };
}

function elementForm(schema: Schema, open: boolean, fields: boolean): () => Shape | undefined {
  const more = schema.additionalProperties;
  if (typeof more === 'object') return once(() => shapeOf(more, open));
  if (more === true) return () => deduced;
  if (more === false) return noField;
  return open || !fields ? () => deduced : noField;
}

/** Fields that every object has, even if its schema does not declare them. */
const typeMeta = { apiVersion: { type: 'string' }, kind: { type: 'string' } } as const;
const metaFields: Readonly<Record<string, Schema>> = { ...typeMeta, metadata: objectMetaShapes };

function mapForm(schema: Schema, open: boolean, embedded: boolean): MapShape {
  const properties = schema.properties ?? {};
  const known = new Map<string, Shape>();
  const names = new Set([...Object.keys(properties), ...(embedded ? Object.keys(metaFields) : [])]);
  const field = (name: string): Shape | undefined => {
    let found = known.get(name);
    if (found === undefined && names.has(name)) {
      const meta = embedded ? metaFields[name] : undefined;
      const property = meta ?? properties[name];
      // Metadata has a fixed type, even where unknown fields are preserved.
      if (property) known.set(name, (found = shapeOf(property, open && !meta)));
    }
    return found;
  };
  const element = elementForm(schema, open, names.size > 0);
  const untyped = names.size === 0 && typeof schema.additionalProperties !== 'object';
  return {
    atomic: schema['x-kubernetes-map-type'] === 'atomic',
    field: names.size === 0 ? noField : field,
    element,
    deduced: untyped && element() === deduced,
  };
}

function compile(schema: Schema, open: boolean, object: boolean): Shape {
  const embedded = object || schema['x-kubernetes-embedded-resource'] === true;
  const inner = open || (schema['x-kubernetes-preserve-unknown-fields'] === true && schema.typeName === undefined);
  switch (schema.scalar) {
    case 'quantity':
      return shape({ scalar: 'untyped' });
    case 'rawExtension':
      return untypedAtomic;
    case 'json':
    case 'fieldsV1':
      return deduced;
    default:
  }
  if (schema.type === undefined && schema.typeName !== undefined && schema.scalar === undefined) return deduced;
  switch (schema.type) {
    case 'object':
      return shape({ map: mapForm(schema, inner, embedded) });
    case 'array':
      return shape({ list: listForm(schema, inner) });
    case undefined:
      return shape({ scalar: 'untyped', list: listForm(schema, inner), map: mapForm(schema, inner, embedded) });
    default:
      return scalarForm(schema);
  }
}

interface Compiled {
  plain?: Shape;
  open?: Shape;
  object?: Shape;
}

const compiled = new WeakMap<Schema, Compiled>();

function memoized(schema: Schema, as: keyof Compiled, make: () => Shape): Shape {
  let entry = compiled.get(schema);
  if (entry === undefined) compiled.set(schema, (entry = {}));
  return (entry[as] ??= make());
}

/** Returns the shape of a schema. `open`: an ancestor preserves unknown fields, and so do all schemas below it. */
function shapeOf(schema: Schema, open: boolean): Shape {
  return memoized(schema, open ? 'open' : 'plain', () => compile(schema, open, false));
}

/**
 * Returns the shape of the objects of a kind. For custom resources, apiVersion, kind and metadata do not depend on the schema.
 */
export function objectShape(schema: Schema): Shape {
  const native = schema.typeName !== undefined;
  return memoized(schema, 'object', () => compile(schema, false, !native));
}
