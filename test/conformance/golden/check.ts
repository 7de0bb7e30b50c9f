/** Compares a function to recorded vectors of the original one. */
import { golden, type Vectors } from '../../data.js';
import { differences } from '../differences.js';
import type { Result } from '../replay.js';

/** The recorded result and the actual one. Absent, undefined and null are equal. */
export interface Comparison {
  readonly want: unknown;
  readonly got: unknown;
}

export interface Check {
  /** The name of the file with the vectors. */
  readonly area: string;
  /** The function that is checked. */
  readonly part: string;
  /** Set if the vectors cannot be run here: their number, and why. */
  readonly notRun?: { readonly count: number; readonly reason: string } | undefined;
  /** Returns the names of the vectors that the check covers. */
  covered(): readonly string[];
  /** Runs every covered vector, in order. */
  readonly run: () => Promise<readonly Result[]>;
}

interface CheckDefinition<I, O> {
  readonly area: string;
  readonly part: string;
  readonly notRun?: Check['notRun'];
  /** Returns the vectors. By default they are those of the area in `test/data`. */
  readonly vectors?: () => Vectors<I, O>;
  /** Returns whether a vector belongs to this check. By default all vectors of the area do. */
  readonly covers?: (input: I, output: O) => boolean;
  compare(input: I, output: O): Comparison | Promise<Comparison>;
  /** Called after the last vector. */
  end?(): Promise<void>;
}

const plain = (value: unknown): unknown =>
  value === undefined
    ? null
    : (JSON.parse(JSON.stringify(value), (_, member: unknown) => member ?? undefined) as unknown);

async function problemsOf<I, O>(definition: CheckDefinition<I, O>, input: I, output: O): Promise<string[]> {
  const before = JSON.stringify(input);
  try {
    const { want, got } = await definition.compare(input, output);
    const found = differences(plain(want), plain(got));
    return JSON.stringify(input) === before ? found : [...found, 'the input was changed'];
  } catch (error) {
    return [String(error)];
  }
}

export function check<I, O>(definition: CheckDefinition<I, O>): Check {
  const { area, part, notRun, covers = () => true, vectors = () => golden<I, O>(area) } = definition;
  const cases = () => (notRun ? [] : vectors().cases.filter(({ input, output }) => covers(input, output)));
  return {
    area,
    part,
    notRun,
    covered: () => cases().map(({ name }) => name),
    async run() {
      const results: Result[] = [];
      for (const { name, input, output } of cases())
        results.push({ name, problems: await problemsOf(definition, input, output) });
      await definition.end?.();
      return results;
    },
  };
}

/** Returns whether `work` throws. Some vectors record only that there is an error. */
export async function fails(work: () => unknown): Promise<boolean> {
  try {
    await work();
    return false;
  } catch {
    return true;
  }
}
