/** How kinds write down their Table: columns in order, and a row made from the object and the time of the request. */
import type { KubeObject } from '../apimachinery/interface.js';
import type { Cell, Column, Printer } from './interface.js';

export const name: Column = { name: 'Name', type: 'string', format: 'name' };

export function text(column: string): Column {
  return { name: column, type: 'string' };
}

export function integer(column: string): Column {
  return { name: column, type: 'integer' };
}

export function boolean(column: string): Column {
  return { name: column, type: 'boolean' };
}

/** Shown only with `-o wide`. */
export function wide(column: string): Column {
  return { name: column, type: 'string', priority: 1 };
}

export const age: Column = text('Age');
/** Of workloads: what `templateCells` fills. */
export const containerColumns: readonly Column[] = [wide('Containers'), wide('Images')];

/** `T` is the native type of the objects; columns of every priority, since the server always fills the wide ones too. */
export function printer<T extends object = KubeObject>(
  columns: readonly Column[],
  row: (object: T, now: Date) => readonly Cell[],
): Printer {
  return { columns, row: (object, now) => row(object as unknown as T, now) };
}

/** Name and creation time, for kinds without columns of their own. */
// as apiserver/pkg/registry/rest defaultTableConvertor
export const plainPrinter: Printer = {
  columns: [name, { name: 'Created At', type: 'date' }],
  row: object => [object.metadata.name ?? '', object.metadata.creationTimestamp ?? null],
};
