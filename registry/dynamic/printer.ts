import { humanDuration } from '../../lib/go/duration.js';
import { jsonPathText, parsePath } from '../../apimachinery/jsonpath/jsonpath.js';
import type { KubeObject } from '../../apimachinery/interface.js';
import { type Int64, int64Of, isInt64, isNumeric, minInt64 } from '../../lib/json/json.js';
import { readTime } from '../../lib/go/time.js';
import type { Cell, Column, Printer } from '../interface.js';
import type { ColumnDefinition } from './crd.js';
import { name as nameColumn } from '../printer.js';

const ageColumn: ColumnDefinition = { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' };

/** Returns the printer of custom resources: the name, and the columns of the definition; the age if it has none. */
// as apiextensions-apiserver/pkg/registry/customresource/tableconvertor
export function customPrinter(definitions: readonly ColumnDefinition[] | undefined): Printer {
  const all = definitions?.length ? definitions : [ageColumn];
  const values = all.map(({ jsonPath, type }) => ({ find: finder(jsonPath), type }));
  return {
    columns: [nameColumn, ...all.map(columnOf)],
    row: (object, now) => [
      object.metadata.name ?? '',
      ...values.map(({ find, type }) => cell(type, find(object), now)),
    ],
  };
}

function columnOf({ name, type, format, description, jsonPath, priority }: ColumnDefinition): Column {
  return {
    name,
    type,
    ...(format && { format }),
    description: description || `Custom resource definition column (in JSONPath format): ${jsonPath}`,
    ...(priority && { priority }),
  };
}

const columnOfReplicas = (name: string, description: string, jsonPath: string): ColumnDefinition => ({
  name,
  type: 'integer',
  description,
  jsonPath,
});

/** The printer of the scale of a custom resource. */
// as apiextensions-apiserver/pkg/apiserver getScaleColumnsForVersion
export const customScalePrinter = customPrinter([
  columnOfReplicas('Desired', 'Number of desired replicas', '.spec.replicas'),
  columnOfReplicas('Available', 'Number of actual replicas', '.status.replicas'),
  ageColumn,
]);

/** Returns a function that returns the first value at a path; undefined if there is none, or the path does not match the object. */
function finder(path: string): (object: KubeObject) => unknown {
  const find = parsePath(path);
  return object => {
    try {
      return find(object)[0];
    } catch {
      return undefined;
    }
  };
}

function cell(type: string, value: unknown, now: Date): Cell {
  // Quirk: a null string is printed as Go's templates print nil.
  if (value === null && type === 'string') return '<no value>';
  if (value == null) return null;
  switch (type) {
    case 'string':
      return jsonPathText(value);
    case 'integer':
      return isNumeric(value) ? wholeCell(value) : null;
    case 'number':
      return isNumeric(value) ? Number(value) : null;
    case 'boolean':
      return typeof value === 'boolean' ? value : null;
    case 'date':
      return typeof value === 'string' ? dateCell(value, now) : null;
    default:
      return null;
  }
}

/** Returns a number without its fraction; beyond int64 the minimum int64, as Go's conversion on amd64. */
function wholeCell(value: Int64): Int64 {
  if (typeof value === 'bigint') return value;
  const whole = int64Of(BigInt(Math.trunc(value)));
  return isInt64(whole) ? whole : minInt64;
}

function dateCell(text: string, now: Date): string {
  if (text === '' || text === 'null') return '<unknown>';
  const time = readTime(text);
  return 'error' in time ? '<invalid>' : humanDuration(now.getTime() - time.ms);
}
