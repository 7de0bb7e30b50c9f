/**
 * Writes YAML exactly as sigs.k8s.io/yaml does: its order of keys, lists at the level of their key, its quoting, long lines folded. Only JSON
 * values: no anchors, no tags.
 */

/** Lines are folded at the first space beyond this column. */
const width = 80;
/** Longer keys are written as `? key`. */
const maxKeyLength = 128;

const pad = (columns: number): string => ' '.repeat(columns);

// --- scalars --------------------------------------------------------------------------------------------------

/** Words for booleans, null, NaN and infinity, and the merge key. */
const words = new Set(
  [
    'y Y yes Yes YES true True TRUE on On ON n N no No NO false False FALSE off Off OFF',
    '~ null Null NULL .nan .NaN .NAN .inf .Inf .INF +.inf +.Inf +.INF -.inf -.Inf -.INF <<',
  ].flatMap(line => line.split(' ')),
);
const integer = /^[-+]?(?:0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO][0-7]+|0[0-7]*|[1-9][0-9]*)$/;
const float = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;
const sexagesimal = /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$/;
const time =
  /^\d{4}-\d{1,2}-\d{1,2}(?:(?:[tT]\d{1,2}:\d{1,2}:\d{1,2}(?:\.\d+)?(?:Z|[-+]\d\d:\d\d))|(?: \d{1,2}:\d{1,2}:\d{1,2}(?:\.\d+)?))?$/;

/** Returns whether a reader would resolve the plain text to something other than a string. as go.yaml.in/yaml/v2 resolve */
function isAmbiguous(text: string): boolean {
  if (text === '' || words.has(text)) return true;
  if (text.startsWith('.')) return float.test(text);
  if (!/^[-+0-9]/.test(text)) return false;
  const bare = text.replaceAll('_', '');
  return integer.test(bare) || float.test(bare) || time.test(text) || sexagesimal.test(text);
}

const printable = /^[\n\x20-\x7e\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd]*$/;
const lineBreak = /[\r\n\x85\u2028\u2029]/;

/** Returns whether the text contains indicators of YAML. */
function hasIndicators(text: string): boolean {
  return (
    text.startsWith('---') ||
    text.startsWith('...') ||
    /^(?:[#,[\]{}&*!|>'"%@`]|[?:-](?:\s|$))/.test(text) ||
    /:(?:\s|$)|\s#/.test(text.slice(1)) ||
    /^\s#/.test(text)
  );
}

type Style = 'plain' | 'single' | 'double' | 'literal';

/** Returns the style of a scalar. as go.yaml.in/yaml/v2 encoder.stringv, yaml_emitter_analyze_scalar, yaml_emitter_select_scalar_style */
function styleOf(text: string, isKey: boolean): Style {
  if (text === '') return 'double';
  const odd = !printable.test(text) || / [\r\n\x85\u2028\u2029]/.test(text);
  if (text.includes('\n')) return odd || isKey || text.endsWith(' ') ? 'double' : 'literal';
  if (odd || isAmbiguous(text) || lineBreak.test(text)) return 'double';
  return hasIndicators(text) || text.startsWith(' ') || text.endsWith(' ') ? 'single' : 'plain';
}

/** The position of a scalar: the column of its first letter, and the indentation of its further lines. */
interface Place {
  readonly column: number;
  readonly indent: number;
  readonly folds: boolean;
}

/** Folds a text. `units`: letters or escapes. A space beyond the width becomes a line break where `breaksAt` allows it. */
function folded(
  units: readonly string[],
  { column, indent, folds }: Place,
  breaksAt: (i: number) => boolean,
  continued: (i: number) => string,
): string {
  let out = '';
  let at = column;
  let spaces = false;
  for (const [i, unit] of units.entries()) {
    if (unit === ' ' && folds && !spaces && at > width && breaksAt(i)) {
      const next = continued(i);
      out += `\n${pad(indent)}${next}`;
      at = indent + next.length;
    } else {
      out += unit;
      at += [...unit].length;
    }
    spaces = unit === ' ';
  }
  return out;
}

const escapes: Readonly<Record<number, string>> = {
  0x00: '0',
  0x07: 'a',
  0x08: 'b',
  0x09: 't',
  0x0a: 'n',
  0x0b: 'v',
  0x0c: 'f',
  0x0d: 'r',
  0x1b: 'e',
  0x22: '"',
  0x5c: '\\',
  0x85: 'N',
  0xa0: '_',
  0x2028: 'L',
  0x2029: 'P',
};

function escaped(rune: string): string {
  if (rune !== '"' && rune !== '\\' && printable.test(rune) && !lineBreak.test(rune)) return rune;
  const code = rune.codePointAt(0) ?? 0;
  const letter = escapes[code];
  if (letter !== undefined) return `\\${letter}`;
  const [sign, digits] = code <= 0xff ? ['x', 2] : code <= 0xffff ? ['u', 4] : ['U', 8];
  return `\\${sign}${code.toString(16).toUpperCase().padStart(Number(digits), '0')}`;
}

function literal(text: string, indent: number): string {
  const hint = /^[ \n\u2028\u2029]/.test(text) ? '2' : '';
  const chomp = !/[\n\u2028\u2029]$/.test(text) ? '-' : /(?:^|[\n\u2028\u2029])[\n\u2028\u2029]$/.test(text) ? '+' : '';
  const lines = text
    .split(/(?<=[\n\u2028\u2029])/)
    .map(line => (/^[\n\u2028\u2029]/.test(line) ? line : pad(indent) + line));
  return `|${hint}${chomp}\n${lines.join('').replace(/\n$/, '')}`;
}

const none = (): string => '';

function textOf(text: string, place: Place, isKey: boolean): string {
  const runes = [...text];
  const last = runes.length - 1;
  const inside = (i: number): boolean => i > 0 && i < last;
  const quoted = { ...place, column: place.column + 1 };
  switch (styleOf(text, isKey)) {
    case 'plain':
      return folded(runes, place, i => runes[i + 1] !== ' ', none);
    case 'single': {
      const units = runes.map(rune => (rune === "'" ? "''" : rune));
      return `'${folded(units, quoted, i => inside(i) && runes[i + 1] !== ' ', none)}'`;
    }
    case 'double':
      return `"${folded(runes.map(escaped), quoted, inside, i => (runes[i + 1] === ' ' ? '\\' : ''))}"`;
    case 'literal':
      return literal(text, place.indent);
  }
}

/** Formats a number. as strconv.FormatFloat(value, 'g', -1, 64), except for integers within int64 and uint64 */
function numberOf(value: number): string {
  if (Number.isInteger(value) && value >= -(2 ** 63) && value < 2 ** 64) return String(value);
  const [digits = '', power = '0'] = value.toExponential().split('e');
  const exponent = Number(power);
  if (exponent >= -4 && exponent < 6) return String(value);
  return `${digits}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`;
}

function scalar(value: unknown, place: Place): string {
  if (typeof value === 'string') return textOf(value, place, false);
  return typeof value === 'number' ? numberOf(value) : String(value);
}

// --- keys -----------------------------------------------------------------------------------------------------

const isLetter = (rune: string): boolean => /^\p{L}$/u.test(rune);
const digitsAt = (runes: readonly string[], from: number): string => {
  let to = from;
  while (/^[0-9]$/.test(runes[to] ?? '')) to++;
  return runes.slice(from, to).join('');
};

/** Returns whether the digits before `end` form a number above zero. */
function endsInNumber(runes: readonly string[], end: number): boolean {
  for (let i = end - 1; /^[0-9]$/.test(runes[i] ?? ''); i--) if (runes[i] !== '0') return true;
  return false;
}

/** Compares numbers of any length by value. */
function compareDigits(a: string, b: string): number {
  const [x, y] = [a.replace(/^0+/, ''), b.replace(/^0+/, '')];
  if (x.length !== y.length) return x.length - y.length;
  return x === y ? 0 : x < y ? -1 : 1;
}

/** Compares keys: letters after everything else, numbers by value. as go.yaml.in/yaml/v2 keyList.Less */
export function compareKeys(a: string, b: string): number {
  const [ar, br] = [[...a], [...b]];
  for (let i = 0; i < ar.length && i < br.length; i++) {
    const [x = '', y = ''] = [ar[i], br[i]];
    if (x === y) continue;
    const [xLetter, yLetter] = [isLetter(x), isLetter(y)];
    if (xLetter !== yLetter) return yLetter ? -1 : 1;
    if (!xLetter) {
      const [xDigits, yDigits] = [digitsAt(ar, i), digitsAt(br, i)];
      // Within a number, zeros are significant.
      const head = (x === '0' || y === '0') && endsInNumber(ar, i) ? '1' : '';
      const byValue = compareDigits(head + xDigits, head + yDigits);
      if (byValue !== 0) return byValue;
      if (xDigits.length !== yDigits.length) return xDigits.length - yDigits.length;
    }
    return (x.codePointAt(0) ?? 0) - (y.codePointAt(0) ?? 0);
  }
  return ar.length - br.length;
}

// --- collections ----------------------------------------------------------------------------------------------

const isCollection = (value: unknown): value is object => typeof value === 'object' && value !== null;
const isEmpty = (value: object): boolean => Object.keys(value).length === 0;

function entry(key: string, value: unknown, indent: number): string {
  if (Buffer.byteLength(key) > maxKeyLength) {
    const written = textOf(key, { column: indent + 2, indent: indent + 2, folds: true }, true);
    return `? ${written}\n${pad(indent)}:${after(value, indent, indent + 1, false)}`;
  }
  const written = textOf(key, { column: indent, indent, folds: false }, true);
  return `${written}:${after(value, indent, indent + [...written].length + 1, true)}`;
}

const entries = (map: object, indent: number): string[] =>
  Object.entries(map)
    .filter(([, value]) => value !== undefined)
    .sort(([a], [b]) => compareKeys(a, b))
    .map(([key, value]) => entry(key, value, indent));

const items = (list: readonly unknown[], indent: number): string[] =>
  list.map(item => `-${after(item, indent, indent + 1, false)}`);

/** Returns the text after the colon of a key at `indent`, or after the `-` of an item; `column` is where that ends. */
function after(value: unknown, indent: number, column: number, ofKey: boolean): string {
  if (!isCollection(value)) return ` ${scalar(value, { column: column + 1, indent: indent + 2, folds: true })}`;
  if (isEmpty(value)) return Array.isArray(value) ? ' []' : ' {}';
  const inner = ofKey && Array.isArray(value) ? indent : indent + 2;
  const lines = Array.isArray(value) ? items(value, inner) : entries(value, inner);
  return (ofKey ? `\n${pad(inner)}` : ' ') + lines.join(`\n${pad(inner)}`);
}

/** Returns a value as a YAML document, which ends with a line break. */
export function writeYaml(value: unknown): string {
  if (!isCollection(value)) return `${scalar(value, { column: 0, indent: 2, folds: true })}\n`;
  if (isEmpty(value)) return Array.isArray(value) ? '[]\n' : '{}\n';
  return `${(Array.isArray(value) ? items(value, 0) : entries(value, 0)).join('\n')}\n`;
}
