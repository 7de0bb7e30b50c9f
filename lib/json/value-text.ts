/** Finds a value in a JSON text without parsing the rest. */
import { afterString } from './after-string.js';

const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;

const isSpace = (code: number): boolean => code === 0x20 || (code >= 0x09 && code <= 0x0d);
const isOpening = (code: number): boolean => code === 0x7b || code === 0x5b;
const isClosing = (code: number): boolean => code === 0x7d || code === 0x5d;

function afterSpaces(text: string, from: number): number {
  let at = from;
  while (isSpace(text.charCodeAt(at))) at++;
  return at;
}

/** Returns the index after the value that begins at an index. */
function afterValue(text: string, from: number): number {
  let depth = 0;
  let at = from;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code === quote) at = afterString(text, at);
    else if (isClosing(code) && depth === 0) return at;
    else {
      if (isOpening(code)) depth++;
      else if (isClosing(code)) depth--;
      else if (depth === 0 && (code === comma || isSpace(code))) return at;
      at++;
    }
    if (depth === 0 && (code === quote || isClosing(code))) return at;
  }
  return at;
}

/**
 * Calls `found` for each field of the object that begins at an index, with the indexes of its name, without quotes, and of its value. Ends when it
 * returns true, or where the text is no object.
 */
function eachField(text: string, from: number, found: (name: number, end: number, value: number) => boolean): void {
  if (text.charCodeAt(from) !== 0x7b) return;
  let at = afterSpaces(text, from + 1);
  while (text.charCodeAt(at) === quote) {
    const name = at + 1;
    const end = afterString(text, at);
    at = afterSpaces(text, end);
    if (text.charCodeAt(at) !== colon) return;
    at = afterSpaces(text, at + 1);
    if (found(name, end - 1, at)) return;
    at = afterSpaces(text, afterValue(text, at));
    if (text.charCodeAt(at) === comma) at = afterSpaces(text, at + 1);
  }
}

/** Returns the index of a field's value in the object that begins at an index; -1 if there is none. */
function fieldAt(text: string, from: number, field: string): number {
  let at = -1;
  eachField(text, from, (name, end, value) => {
    if (end - name !== field.length || !text.startsWith(field, name)) return false;
    at = value;
    return true;
  });
  return at;
}

function valueAt(text: string, path: readonly string[]): number {
  let at = afterSpaces(text, 0);
  for (const field of path) {
    at = fieldAt(text, at, field);
    if (at < 0) return -1;
  }
  return at;
}

/**
 * Returns the text of the value at a path of fields; undefined if it is not found. The names have only letters and digits, which the text does not
 * escape. The text is not checked.
 */
export function valueText(text: string, path: readonly string[]): string | undefined {
  const at = valueAt(text, path);
  return at < 0 ? undefined : text.slice(at, afterValue(text, at));
}

/** As `valueText`, for some fields of the object at a path, which is read once. Returns the texts by the fields that are found. */
export function fieldTexts(
  text: string,
  path: readonly string[],
  fields: ReadonlySet<string>,
): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  const at = valueAt(text, path);
  if (at < 0) return texts;
  eachField(text, at, (name, end, value) => {
    const field = text.slice(name, end);
    if (fields.has(field)) texts.set(field, text.slice(value, afterValue(text, value)));
    return texts.size === fields.size;
  });
  return texts;
}
