/** Prints JSON values as Go does, for texts of errors that contain patches and typed values. */
import { goFloat } from '../../lib/go/go-float.js';
import { goNumber, goQuote } from '../../lib/go/go-text.js';
import { isInt64, isNumeric } from '../../lib/json/json.js';
import { Literal } from '../../lib/json/literal.js';
import { isObject } from './json.js';

/** Returns `%v` of a decoded JSON value: `map[a:1 b:[x <nil>]]`. */
export function goValue(value: unknown): string {
  if (value === null || value === undefined) return '<nil>';
  if (isNumeric(value)) return goNumber(value);
  if (value instanceof Literal) return goFloat(Number(value.text));
  if (Array.isArray(value)) return `[${value.map(goValue).join(' ')}]`;
  if (!isObject(value)) return String(value);
  const keys = Object.keys(value).sort();
  return `map[${keys.map(key => `${key}:${goValue(value[key])}`).join(' ')}]`;
}

/** Returns the Go type of a decoded JSON value, as `%T` prints it. */
export function goType(value: unknown): string {
  if (value === null || value === undefined) return '<nil>';
  if (Array.isArray(value)) return '[]interface {}';
  // The Literal of a number has the notation of a float.
  if (value instanceof Literal) return 'float64';
  switch (typeof value) {
    case 'number':
    case 'bigint':
      return isInt64(value) ? 'int64' : 'float64';
    case 'boolean':
      return 'bool';
    case 'string':
      return 'string';
    default:
      return 'map[string]interface {}';
  }
}

/** Returns `%s` of a decoded JSON value, which prints only strings plainly. */
export function goString(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === null || value === undefined) return '%!s(<nil>)';
  if (Array.isArray(value)) return `[${value.map(goString).join(' ')}]`;
  if (!isObject(value)) return `%!s(${goType(value)}=${goValue(value)})`;
  const keys = Object.keys(value).sort();
  return `map[${keys.map(key => `${key}:${goString(value[key])}`).join(' ')}]`;
}

/** Returns `%#v` of a decoded JSON value, which is Go syntax. */
export function goSyntax(value: unknown): string {
  if (value === null || value === undefined) return 'interface {}(nil)';
  if (typeof value === 'string') return goQuote(value);
  if (Array.isArray(value)) return `[]interface {}{${value.map(goSyntax).join(', ')}}`;
  if (!isObject(value)) return goValue(value);
  const keys = Object.keys(value).sort();
  return `map[string]interface {}{${keys.map(key => `${goQuote(key)}:${goSyntax(value[key])}`).join(', ')}}`;
}
