import { readTable } from './read.js';
import type { ProtobufTable } from './tables.js';

/** A field of a protobuf message (proto2; every field is optional unless repeated). */
export interface ProtobufField {
  /** The name in JSON; undefined if the fields of the message are inlined into the outer object. */
  readonly name: string | undefined;
  readonly number: number;
  /**
   * A scalar of protobuf (`string`, `bool`, `int32`, `int64`, `double`, `bytes`), or the name of a native type. For a list, the type of its
   * items; for a map, that of its values.
   */
  readonly type: string;
  readonly shape: 'one' | 'list' | 'map';
}

let table: ProtobufTable | undefined;
const messages = new Map<string, readonly ProtobufField[]>();

function fieldOf(row: string, packageName: string): ProtobufField {
  const [name = '', number = '', expression = ''] = row.split(' ');
  const shape = expression.startsWith('[]') ? 'list' : expression.startsWith('{}') ? 'map' : 'one';
  const type = shape === 'one' ? expression : expression.slice(2);
  return {
    name: name === '~' ? undefined : name,
    number: Number(number),
    type: /^[A-Z]/.test(type) ? `${packageName}.${type}` : type,
    shape,
  };
}

/**
 * Returns the fields of the message of a native type, in the order of their declaration; undefined for a type without a message. Scalars of
 * JSON (Time, Quantity, IntOrString, RawExtension) are messages, too.
 */
export function protobufFields(typeName: string): readonly ProtobufField[] | undefined {
  const known = messages.get(typeName);
  if (known) return known;
  table ??= readTable('protobuf.json') as ProtobufTable;
  const dot = typeName.lastIndexOf('.');
  const packageName = typeName.slice(0, dot);
  const rows = Object.hasOwn(table, packageName) ? table[packageName]?.[typeName.slice(dot + 1)] : undefined;
  const fields = rows?.map(row => fieldOf(row, packageName));
  if (fields) messages.set(typeName, fields);
  return fields;
}
