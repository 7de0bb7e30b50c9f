/** Encodes values as JSON in steps. Small parts are encoded at once, by V8: an object of 2 KiB took 7 times as long in steps. */
import { type InSteps, Strides } from '../time-slice.js';
import { jsonText } from './json.js';
import { LargeValues } from './large-values.js';
import { VerbatimObject } from './verbatim-object.js';

/** Values that are encoded in one step, which takes less than a millisecond. */
const maxValuesPerStep = 1000;

/** As `jsonText`, in steps, for values that may be large. The first step does nothing: other work may have used up this turn. */
export function* jsonTextSteps(value: unknown): InSteps<string> {
  if ((yield) === true) return jsonText(value);
  return (yield* textSteps(value, new LargeValues(maxValuesPerStep))) as string;
}

/** Returns undefined for undefined. hot: most parts are no objects, and few are large. */
function* textSteps(value: unknown, large: LargeValues): InSteps<string | undefined> {
  if (typeof value !== 'object' || value === null || value instanceof VerbatimObject || !large.isLarge(value))
    return jsonText(value);
  yield;
  return yield* Array.isArray(value) ? listSteps(value, large) : mapSteps(value as Record<string, unknown>, large);
}

function* listSteps(list: readonly unknown[], large: LargeValues): InSteps<string> {
  const text = new JoinedText();
  for (const item of list) {
    const part = typeof item === 'object' ? yield* textSteps(item, large) : jsonText(item);
    if (text.add(part ?? 'null')) yield;
  }
  return `[${text.end()}]`;
}

function* mapSteps(map: Readonly<Record<string, unknown>>, large: LargeValues): InSteps<string> {
  const text = new JoinedText();
  for (const key of large.keysOf(map)) {
    const member = map[key];
    if (member === undefined) continue;
    const part = typeof member === 'object' ? yield* textSteps(member, large) : jsonText(member);
    if (part !== undefined && text.add(`${JSON.stringify(key)}:${part}`)) yield;
  }
  return `{${text.end()}}`;
}

/** Joins parts by commas. They are joined in groups, since a long text of many concatenations is flattened all at once. */
class JoinedText {
  readonly #groups: string[] = [];
  readonly #strides = new Strides();
  #group: string[] = [];

  /** Returns whether a step is over. */
  add(part: string): boolean {
    this.#group.push(part);
    if (!this.#strides.isOver) return false;
    this.#endGroup();
    return true;
  }

  end(): string {
    if (this.#group.length > 0) this.#endGroup();
    return this.#groups.join(',');
  }

  #endGroup(): void {
    this.#groups.push(this.#group.join(','));
    this.#group = [];
  }
}
