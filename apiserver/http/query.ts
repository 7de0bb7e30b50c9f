import type { Query } from '../interface.js';

const none: readonly string[] = [];
const equalsSign = 0x3d;

const emptyQuery: Query = { get: () => undefined, all: () => none, empty: true };

/** Characters whose pluses are replaced at once. */
const blockLength = 4096;

/** Replaces pluses by spaces. `replaceAll` takes five times as long for a million of them, and an array of a million parts takes long to allocate. */
function withSpaces(text: string): string {
  let spaced = '';
  for (let at = 0; at < text.length; at += blockLength)
    spaced += text
      .slice(at, at + blockLength)
      .split('+')
      .join(' ');
  return spaced;
}

/** Decodes a key or value. Returns undefined for a bad escape. */
function unescape(text: string): string | undefined {
  const spaced = text.includes('+') ? withSpaces(text) : text;
  if (!spaced.includes('%')) return spaced;
  try {
    return decodeURIComponent(spaced);
  } catch {
    return undefined; // invalid UTF-8, or no hexadecimal number after a %
  }
}

/** Matches a query whose pairs have to be checked one by one: it has escapes, or a `;`, which Go refuses. */
const unusual = /[%+;]/;

/** Holds values by key. A key with one value takes no list, since a query may have 10,000 keys. */
class Parameters implements Query {
  readonly #values = new Map<string, string | string[]>();

  get empty(): boolean {
    return this.#values.size === 0;
  }

  get(name: string): string | undefined {
    const found = this.#values.get(name);
    return typeof found === 'object' ? found[0] : found;
  }

  all(name: string): readonly string[] {
    const found = this.#values.get(name);
    return typeof found === 'string' ? [found] : (found ?? none);
  }

  add(key: string, value: string): void {
    const known = this.#values.get(key);
    if (known === undefined) this.#values.set(key, value);
    else if (typeof known === 'string') this.#values.set(key, [known, value]);
    else known.push(value);
  }

  /** Adds the pair of the raw query between `from` and `end`, whose `=` is at `equals`. A pair that Go refuses is left out. */
  addEscaped(raw: string, from: number, equals: number, end: number): void {
    if (raw.slice(from, end).includes(';')) return;
    const key = unescape(raw.slice(from, equals));
    const value = unescape(raw.slice(equals + 1, end));
    if (key !== undefined && value !== undefined) this.add(key, value);
  }
}

/** as Go net/url defaultMaxParams */
const maxParameters = 10_000;
const ampersand = 0x26;

/** Reports whether a query has more parameters than Go's parser accepts. hot: short queries are not searched. */
export function hasTooManyParameters(raw: string): boolean {
  if (raw.length < maxParameters) return false;
  let count = 1;
  for (let at = 0; at < raw.length; at++) if (raw.charCodeAt(at) === ampersand) count++;
  return count > maxParameters;
}

/**
 * Returns the parameters of a raw query (without its question mark). Pairs that Go refuses are left out: those with a `;` or a bad escape. A
 * query with too many parameters yields none.
 */
export function parseQuery(raw: string): Query {
  if (raw === '' || hasTooManyParameters(raw)) return emptyQuery;
  const parameters = new Parameters();
  const isUnusual = unusual.test(raw);
  for (let from = 0, end = 0; from < raw.length; from = end + 1) {
    const next = raw.indexOf('&', from);
    end = next < 0 ? raw.length : next;
    if (end === from) continue;
    let equals = from;
    while (equals < end && raw.charCodeAt(equals) !== equalsSign) equals++;
    if (isUnusual) parameters.addEscaped(raw, from, equals, end);
    else parameters.add(raw.slice(from, equals), raw.slice(equals + 1, end));
  }
  return parameters;
}
