/** Helpers to declare the Table of a kind: columns, and a row computed from the object and the time of the request. */
import type { KubeObject } from '../apimachinery/interface.js';
import type { Cell, Column, Printer } from './interface.js';

export const name: Column = { name: 'Name', type: 'string', format: 'name' };

/** Returns a column of strings that is shown by default. */
export function textColumn(column: string): Column {
  return { name: column, type: 'string' };
}

/** Returns a column of integers that is shown by default. */
export function integerColumn(column: string): Column {
  return { name: column, type: 'integer' };
}

/** Returns a column of booleans that is shown by default. */
export function booleanColumn(column: string): Column {
  return { name: column, type: 'boolean' };
}

/** Returns a column that is shown only with `-o wide`. */
export function wide(column: string): Column {
  return { name: column, type: 'string', priority: 1 };
}

export const ageTextColumn: Column = textColumn('Age');
/** The columns of workloads with the containers of their pod templates. */
export const containerColumns: readonly Column[] = [wide('Containers'), wide('Images')];

/** Returns a printer. `T` is the native type of the objects; a row fills columns of every priority. */
export function printer<T extends KubeObject = KubeObject>(
  columns: readonly Column[],
  row: (object: T, now: Date) => readonly Cell[],
): Printer {
  return { columns, row };
}

/** Prints name and creation time, for kinds without columns of their own. */
// as apiserver/pkg/registry/rest defaultTableConvertor
export const plainPrinter: Printer = {
  columns: [name, { name: 'Created At', type: 'date' }],
  row: object => [object.metadata.name ?? '', object.metadata.creationTimestamp ?? null],
};
