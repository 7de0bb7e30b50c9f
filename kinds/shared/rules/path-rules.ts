/** Validates paths of files inside volumes. */
import type { Field } from './field.js';

/** The path must not contain `..`. */
export function noBacksteps(path: Field<string>): void {
  if ((path.value ?? '').split('/').includes('..')) path.invalid("must not contain '..'");
}

/** The path must be relative and must not contain `..`. */
export function descendingPath(path: Field<string>): void {
  if (path.value?.startsWith('/')) path.invalid('must be a relative path');
  noBacksteps(path);
}

/** The path must be descending, and its first part must not begin with two dots: the kubelet uses such names. */
export function nonReservedPath(path: Field<string>): void {
  descendingPath(path);
  const text = path.value ?? '';
  if (text.startsWith('..') && !text.startsWith('../')) path.invalid("must not start with '..'");
}

/** The number must be permission bits of a file: 0 to 0777. */
export function fileMode(mode: Field<number>): void {
  if (mode.value !== undefined && (mode.value > 0o777 || mode.value < 0))
    mode.invalid('must be a number between 0 and 0777 (octal), both inclusive');
}
