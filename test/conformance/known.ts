/** Recordings from which Flagship differs, by `ROW/NAME`. An entry is removed when Flagship behaves like the recording. */
import type { Result } from './replay.js';

interface KnownDifference {
  readonly reason: string;
  /** The number of the step of a scenario that fails first. */
  readonly step?: number;
}

const services = 'requires multi-cluster Services, which are not supported yet';

export const known: Readonly<Record<string, KnownDifference>> = {
  'authz/forbidden/api': { reason: 'the recorded message contains the address of the recorded server' },
  'scenarios/service-export': { reason: services, step: 11 },
  'gates/multi-cluster-service': { reason: services, step: 4 },
};

/** Returns whether a result is the expected one: it has no differences, or is known to have one in the same step. */
export function isExpected(row: string, { name, problems }: Result): boolean {
  const difference = known[`${row}/${name}`];
  if (!difference) return problems.length === 0;
  const [first] = problems;
  return first !== undefined && (difference.step === undefined || first.startsWith(`step ${difference.step} `));
}

/** Returns a line for each problem of the results that are not as expected. */
export function surprises(row: string, results: readonly Result[]): readonly string[] {
  return results
    .filter(result => !isExpected(row, result))
    .flatMap(({ name, problems }) =>
      problems.length === 0
        ? [`${row}/${name} agrees now: remove it from test/conformance/known.ts`]
        : problems.map(problem => `${row}/${name}: ${problem}`),
    );
}
