import { readTable } from './read.js';
import type { ProtobufTable } from './tables.js';

/** A field of a protobuf message (proto2; every field is optional unless repeated). */
export interface ProtobufField {
  /** The name in JSON; undefined when the fields of the message are fields of the outer object there. */
  readonly name: string | undefined;
  readonly number: number;
  /** A scalar of protobuf (`string`, `bool`, `int32`, `int64`, `double`, `bytes`), or the name of a native type. Of the items, of the values of a map. */
  readonly type: string;
  readonly shape: 'one' | 'list' | 'map';
}

let table: ProtobufTable | undefined;
const messages = new Map<string, readonly ProtobufField[]>();

function fieldOf(row: string, home: string): ProtobufField {
  const [name = '', number = '', expression = ''] = row.split(' ');
  const shape = expression.startsWith('[]') ? 'list' : expression.startsWith('{}') ? 'map' : 'one';
  const type = shape === 'one' ? expression : expression.slice(2);
  return {
    name: name === '~' ? undefined : name,
    number: Number(number),
    type: /^[A-Z]/.test(type) ? `${home}.${type}` : type,
    shape,
  };
}

/**
 * The fields of the message of a native type, in the order of their declaration; undefined for types without a message (custom resource
 * definitions and API services have messages like all others). Scalars of JSON (Time, Quantity, IntOrString, RawExtension) are messages too.
 */
export function protobufFields(typeName: string): readonly ProtobufField[] | undefined {
  const known = messages.get(typeName);
  if (known) return known;
  table ??= readTable('protobuf.json') as ProtobufTable;
  const dot = typeName.lastIndexOf('.');
  const home = typeName.slice(0, dot);
  const rows = Object.hasOwn(table, home) ? table[home]?.[typeName.slice(dot + 1)] : undefined;
  const fields = rows?.map(row => fieldOf(row, home));
  if (fields) messages.set(typeName, fields);
  return fields;
}
