import type { JsonObject } from '../../../../apimachinery/interface.js';
import type { FieldSet } from '../../../../apimachinery/patch/typed/field-set.js';
import { parseFieldsV1, writeFieldsV1 } from '../../../../apimachinery/patch/typed/fields-v1.js';
import { objectShape } from '../../../../apimachinery/patch/typed/shape.js';
import type { Schema } from '../../../../apimachinery/codec/interface.js';

const text: Schema = { type: 'string' };
const port: Schema = {
  type: 'object',
  properties: { port: { type: 'integer' }, protocol: { type: 'string', default: 'TCP' }, name: text },
};
const mapList = (items: Schema, ...keys: string[]): Schema => ({
  type: 'array',
  items,
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': keys,
});

/** A custom resource with a field of each form. */
const schema: Schema = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        text,
        number: { type: 'integer' },
        flag: { type: 'boolean' },
        size: { 'x-kubernetes-int-or-string': true },
        labels: { type: 'object', additionalProperties: text },
        nested: { type: 'object', additionalProperties: { type: 'object', properties: { a: text, b: text } } },
        atomicMap: { type: 'object', 'x-kubernetes-map-type': 'atomic', properties: { a: text, b: text } },
        list: { type: 'array', items: text },
        set: { type: 'array', items: text, 'x-kubernetes-list-type': 'set' },
        ports: mapList(port, 'port', 'protocol'),
        items: mapList(
          {
            type: 'object',
            properties: {
              name: text,
              value: text,
              tags: { type: 'array', items: text, 'x-kubernetes-list-type': 'set' },
            },
          },
          'name',
        ),
        free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        empty: { type: 'object' },
        template: {
          type: 'object',
          'x-kubernetes-embedded-resource': true,
          'x-kubernetes-preserve-unknown-fields': true,
        },
      },
    },
    status: { type: 'object', properties: { phase: text } },
  },
};
/** The shape of the custom resource. */
export const shape = objectShape(schema);
/** Returns a custom resource with a spec. */
export const of = (spec: JsonObject): JsonObject => ({
  apiVersion: 'ex.io/v1',
  kind: 'Foo',
  metadata: { name: 'a' },
  spec,
});
/** Returns a set as fieldsV1. */
export const fields = (set: FieldSet): unknown => writeFieldsV1(set);
/** Returns the part of a set below the spec, as fieldsV1. */
export const spec = (set: FieldSet): unknown => (writeFieldsV1(set) as { 'f:spec'?: unknown })['f:spec'] ?? {};
/** Returns the set of some fieldsV1. */
export const parse = (value: JsonObject): FieldSet => parseFieldsV1(structuredClone(value));
