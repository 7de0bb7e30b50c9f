/** Parses command-line flags as pflag does: `--name=value`, `--name value`, `-n=value`, `-nvalue`, `--bool`, `--bool=false`, `--`. */
import { parseBool } from '../../lib/go/go-bool.js';

type FlagType = 'string' | 'number' | 'boolean' | 'list';

export interface FlagDefinition {
  readonly type: FlagType;
  readonly short?: string;
  readonly default?: string | number | boolean | readonly string[];
  /** One line. */
  readonly help: string;
  /** The placeholder of the value in the help: `HOST:PORT`. */
  readonly value?: string;
}

export type FlagTable = Readonly<Record<string, FlagDefinition>>;

type ValueOf<D extends FlagDefinition> = D['type'] extends 'number'
  ? number
  : D['type'] extends 'boolean'
    ? boolean
    : D['type'] extends 'list'
      ? readonly string[]
      : string;

export type FlagValues<T extends FlagTable> = { readonly [K in keyof T]: ValueOf<T[K]> };

export interface ParsedFlags<T extends FlagTable> {
  readonly values: FlagValues<T>;
  /** The flags that were given. */
  readonly given: ReadonlySet<keyof T & string>;
  /** The arguments that are no flags. */
  readonly rest: readonly string[];
}

/** A mistake of the user, reported as one line. */
export class UsageError extends Error {}

/** Returns the error for a value that a flag, named without dashes, does not accept. */
export const invalidFlag = (flag: string, value: string | number, why: string): UsageError =>
  new UsageError(`invalid value "${value}" for --${flag}: ${why}`);

const empty: Readonly<Record<FlagType, string | number | boolean | readonly string[]>> = {
  string: '',
  number: 0,
  boolean: false,
  list: [],
};

/** Returns the number of single-letter edits between two words. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++)
      next.push(
        Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)),
      );
    row = next;
  }
  return row[b.length] ?? 0;
}

/** Returns `; did you mean X?` for a word that is close to a known one; '' otherwise. */
export function didYouMean(word: string, known: Iterable<string>, prefix = ''): string {
  let best: string | undefined;
  let bestEdits = Math.max(2, Math.floor(word.length / 3)) + 1;
  for (const candidate of known) {
    const edits = candidate.startsWith(word) && word.length > 2 ? 1 : distance(word, candidate);
    if (edits < bestEdits) [best, bestEdits] = [candidate, edits];
  }
  return best === undefined ? '' : `; did you mean ${prefix}${best}?`;
}

function parseValue(flag: string, type: FlagType, text: string): string | number | boolean | readonly string[] {
  const invalid = (why: string): UsageError => new UsageError(`invalid value "${text}" for ${flag}: ${why}`);
  if (type === 'boolean') {
    const value = parseBool(text);
    if (value === undefined) throw invalid('want true or false');
    return value;
  }
  if (type === 'number') {
    if (!/^[+-]?\d+$/.test(text)) throw invalid('want a whole number');
    return Number(text);
  }
  return type === 'list' ? text.split(',').filter(item => item !== '') : text;
}

/** Reads arguments from the first to the last. */
class FlagReader {
  readonly given = new Set<string>();
  /** The arguments that are no flags. */
  readonly rest: string[] = [];
  readonly #table: FlagTable;
  readonly #args: readonly string[];
  readonly #values = new Map<string, unknown>();
  /** The names of flags by their letters. */
  readonly #shorts: ReadonlyMap<string, string>;
  /** The index of the current argument. */
  #at = 0;

  constructor(table: FlagTable, args: readonly string[]) {
    this.#table = table;
    this.#args = args;
    this.#shorts = new Map(
      Object.entries(table).flatMap(([name, { short }]) => (short === undefined ? [] : [[short, name]])),
    );
  }

  /** Reads all arguments. Throws UsageError. */
  read(): void {
    for (; this.#at < this.#args.length; this.#at++) {
      const arg = this.#args[this.#at] ?? '';
      if (arg === '--') {
        this.rest.push(...this.#args.slice(this.#at + 1));
        return;
      }
      if (arg.startsWith('--')) this.#readLong(arg);
      else if (arg.startsWith('-') && arg.length > 1) this.#readShort(arg);
      else this.rest.push(arg);
    }
  }

  /** Returns the values of all flags of the table, by name. */
  values(): Record<string, unknown> {
    for (const [name, { type, default: otherwise }] of Object.entries(this.#table))
      if (!this.#values.has(name)) this.#values.set(name, otherwise ?? empty[type]);
    return Object.fromEntries(this.#values);
  }

  #readLong(arg: string): void {
    const equals = arg.indexOf('=');
    const name = equals < 0 ? arg.slice(2) : arg.slice(2, equals);
    if (!Object.hasOwn(this.#table, name))
      throw new UsageError(`unknown flag: --${name}${didYouMean(name, Object.keys(this.#table), '--')}`);
    if (equals >= 0) this.#set(name, `--${name}`, arg.slice(equals + 1));
    else if (this.#table[name]?.type === 'boolean') this.#set(name, `--${name}`, 'true');
    else this.#set(name, `--${name}`, this.#valueAfter(`--${name}`));
  }

  /** Reads one or several letters. */
  #readShort(arg: string): void {
    for (let i = 1; i < arg.length; i++) {
      const letter = arg[i] ?? '';
      const shown = `-${letter}`;
      const name = this.#shorts.get(letter);
      if (name === undefined) throw new UsageError(`unknown shorthand flag: ${JSON.stringify(letter)} in ${arg}`);
      const tail = arg.slice(i + 1);
      if (tail.startsWith('=')) return this.#set(name, shown, tail.slice(1));
      if (this.#table[name]?.type !== 'boolean')
        return this.#set(name, shown, tail === '' ? this.#valueAfter(shown) : tail);
      this.#set(name, shown, 'true');
    }
  }

  #valueAfter(shown: string): string {
    const next = this.#args[++this.#at];
    if (next === undefined) throw new UsageError(`flag needs a value: ${shown}`);
    return next;
  }

  #set(name: string, shown: string, text: string): void {
    const { type } = this.#table[name] as FlagDefinition;
    const value = parseValue(shown, type, text);
    const known = (this.#values.get(name) as string[] | undefined) ?? [];
    this.#values.set(name, type === 'list' ? [...known, ...(value as string[])] : value);
    this.given.add(name);
  }
}

/** Parses arguments. Throws UsageError. Values of a repeated list flag are joined: `--x=a,b --x=c`. */
export function parseFlags<T extends FlagTable>(table: T, args: readonly string[]): ParsedFlags<T> {
  const reader = new FlagReader(table, args);
  reader.read();
  return { values: reader.values() as FlagValues<T>, given: reader.given, rest: reader.rest };
}

/** Returns the flags of a table, one line each, for a help text. */
export function describeFlags(table: FlagTable): string {
  const rows = Object.entries(table).map(([name, { short, value, type, help, default: otherwise }]) => {
    const head = `${short === undefined ? '    ' : `-${short}, `}--${name}`;
    const shownValue = type === 'boolean' ? '' : ` ${value ?? type}`;
    const shown =
      otherwise === undefined || otherwise === '' || otherwise === false ? '' : ` (default ${String(otherwise)})`;
    return [head + shownValue, help + shown] as const;
  });
  const width = Math.max(...rows.map(([head]) => head.length));
  return rows.map(([head, help]) => `  ${head.padEnd(width)}   ${help}`).join('\n');
}
