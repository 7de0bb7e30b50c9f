/** Vectors that were recorded from the real functions, and which function of ours has to agree with them. */
import { golden } from '../../data.js';
import { differences } from '../differences.js';
import type { Result } from '../replay.js';

/** What was recorded, and what came out here. Absent, undefined and null are the same. */
export interface Verdict {
  readonly want: unknown;
  readonly got: unknown;
}

export interface Check {
  /** The file of the vectors. */
  readonly area: string;
  /** What of it. */
  readonly part: string;
  /** Runs every vector that it covers, in their order. */
  run(): Promise<readonly Result[]>;
}

export interface CheckDefinition<I, O> {
  readonly area: string;
  readonly part: string;
  /** Absent: all of the area. */
  covers?(input: I, output: O): boolean;
  judge(input: I, output: O): Verdict | Promise<Verdict>;
  /** After the last one. */
  end?(): Promise<void>;
}

const plain = (value: unknown): unknown =>
  value === undefined
    ? null
    : (JSON.parse(JSON.stringify(value), (_, member: unknown) => member ?? undefined) as unknown);

async function problemsOf<I, O>(definition: CheckDefinition<I, O>, input: I, output: O): Promise<string[]> {
  const before = JSON.stringify(input);
  try {
    const { want, got } = await definition.judge(input, output);
    const found = differences(plain(want), plain(got));
    return JSON.stringify(input) === before ? found : [...found, 'the input was changed'];
  } catch (error) {
    return [String(error)];
  }
}

export function check<I, O>(definition: CheckDefinition<I, O>): Check {
  const { area, part, covers = () => true } = definition;
  return {
    area,
    part,
    async run() {
      const results: Result[] = [];
      for (const { name, input, output } of golden<I, O>(area).cases)
        if (covers(input, output)) results.push({ name, problems: await problemsOf(definition, input, output) });
      await definition.end?.();
      return results;
    },
  };
}

/** For vectors of which only is recorded that there is an error. */
export async function fails(work: () => unknown): Promise<boolean> {
  try {
    await work();
    return false;
  } catch {
    return true;
  }
}
