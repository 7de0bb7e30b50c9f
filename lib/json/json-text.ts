/** Works on the text of valid JSON: its tokens and the space between them. */
import { afterString } from './after-string.js';

const quote = 0x22;
const isSpace = (c: number): boolean => c === 0x20 || c === 0x0a || c === 0x0d || c === 0x09;
/** Returns whether the character is a bracket, `,`, `:`, or the end. */
const isStructural = (c: number): boolean =>
  c === 0x2c || c === 0x3a || c === 0x7b || c === 0x7d || c === 0x5b || c === 0x5d || Number.isNaN(c);

/** Returns the position after the space that begins here. */
export function skipSpace(text: string, at: number): number {
  let end = at;
  while (isSpace(text.charCodeAt(end))) end++;
  return end;
}

/** Returns the end of the token that begins here. */
function endOfToken(text: string, at: number): number {
  const first = text.charCodeAt(at);
  if (first === quote) return afterString(text, at);
  if (isStructural(first)) return at + 1;
  let end = at + 1;
  while (!isStructural(text.charCodeAt(end)) && !isSpace(text.charCodeAt(end))) end++;
  return end;
}

/** Returns the end of the value that begins here. */
export function endOfValue(text: string, at: number): number {
  let end = at;
  for (let depth = 0; ;) {
    const c = text.charCodeAt(end);
    if (c === 0x7b || c === 0x5b) depth++;
    else if (c === 0x7d || c === 0x5d) depth--;
    end = endOfToken(text, end);
    if (depth === 0) return end;
    end = skipSpace(text, end);
  }
}

/** Returns the text without space between its tokens. */
export function compacted(text: string): string {
  let out = '';
  for (let at = skipSpace(text, 0); at < text.length;) {
    const end = endOfToken(text, at);
    out += text.slice(at, end);
    at = skipSpace(text, end);
  }
  return out;
}

/**
 * Returns the text on several lines. `lineBreak` is the line break at the value's indentation, `step` the additional indentation of a level. as
 * encoding/json/indent.go Indent
 */
export function indented(text: string, lineBreak: string, step: string): string {
  let out = '';
  let margin = lineBreak;
  let afterOpening = false;
  for (let at = skipSpace(text, 0); at < text.length;) {
    const end = endOfToken(text, at);
    const token = text.slice(at, end);
    const closes = token === '}' || token === ']';
    if (closes) margin = margin.slice(0, margin.length - step.length);
    if (afterOpening !== closes) out += margin;
    out += token === ':' ? ': ' : token;
    const opens = token === '{' || token === '[';
    if (opens) margin += step;
    afterOpening = opens;
    if (token === ',') out += margin;
    at = skipSpace(text, end);
  }
  return out;
}
