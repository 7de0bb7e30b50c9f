/** Formats values as Go does; the texts of errors contain them. */
import { escapes } from './go-escapes.js';
import { goFloat } from './go-float.js';
import { type Int64, jsonText } from '../json/json.js';
import { Literal } from '../json/literal.js';

const plain = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/;
const printable = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;

function quoteRune(rune: string): string {
  const known = escapes[rune];
  if (known !== undefined) return known;
  if (printable.test(rune)) return rune;
  const code = rune.codePointAt(0) ?? 0;
  if (code < 0x80) return '\\x' + code.toString(16).padStart(2, '0');
  if (code >= 0xd800 && code <= 0xdfff) return '\\ufffd';
  return code < 0x10000 ? '\\u' + code.toString(16).padStart(4, '0') : '\\U' + code.toString(16).padStart(8, '0');
}

/** Returns a Go string literal, as `%q` prints it. */
export function goQuote(text: string): string {
  if (plain.test(text)) return `"${text}"`;
  let out = '"';
  for (const rune of text) out += quoteRune(rune);
  return out + '"';
}

/** Formats a number as `%v` does: an int64 if it is an integer, otherwise a float64 (`%g`, shortest). */
export function goNumber(value: Int64): string {
  return typeof value === 'bigint' || Number.isSafeInteger(value) ? String(value) : goFloat(value);
}

const html = /[<>&\u2028\u2029]/g;

/** Escapes the characters in JSON that are special in HTML, as `json.Marshal` does. */
export function escapeHtml(json: string): string {
  return json.replace(html, c => '\\u' + c.charCodeAt(0).toString(16).padStart(4, '0'));
}

/** Returns the value with the keys of all objects sorted, as Go writes maps. */
export function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== 'object' || value === null || value instanceof Literal) return value;
  const from = value as Record<string, unknown>;
  const out: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  for (const key of Object.keys(from).sort()) out[key] = sortKeys(from[key]);
  return out;
}

/** Formats JSON as `json.Marshal` does, with HTML characters escaped; keys keep their order. */
export function goJson(value: unknown): string {
  const text = jsonText(value) as string | undefined;
  return text === undefined ? 'null' : escapeHtml(text);
}

/** Formats a `[]string` as Go's %q does. */
export const quotedList = (list: readonly string[]): string => `[${list.map(goQuote).join(' ')}]`;
