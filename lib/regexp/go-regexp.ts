/**
 * Regular expressions in Go's syntax (RE2), with Go's texts of syntax errors. To compile one and to match it takes a bounded number of steps,
 * whatever the pattern and the text are.
 */
import { RE2JS, RE2JSException } from 're2js';
import { once } from '../collections/once.js';
import { OutOfSteps, StepLimit, type Steps } from '../steps.js';
import { regexpMatcher } from './regexp-matcher.js';
import { type Match, type Program, RegexpSearch } from './regexp-search.js';
import { regexpSize } from './regexp-size.js';

/** The longest pattern that is compiled, in UTF-16 units. */
export const longestPattern = 4096;
/** The largest size of a pattern, repetitions written out, that is compiled (`regexpSize`). */
export const largestPattern = 4100;
/** The steps that a match without a bound of its own may take: three MiB of text take two thirds of it, for most patterns. */
const maxSteps = 2_500_000;
/** The steps that it takes to compile a pattern, for each character and atom of it. */
const compileSteps = 200;

export interface GoRegexp {
  /**
   * Whether the pattern is found anywhere. Some five nanoseconds for a character of most patterns; where a match takes more than 2.5 million
   * steps the answer is false. With `steps` these are counted there, and what its `take` throws ends the match.
   */
  test(text: string, steps?: Steps): boolean;
  /** The leftmost place at `from` or behind it where the pattern is found. Counts steps. Throws what `steps.take` throws. */
  find(text: string, from: number, steps: Steps): Match | undefined;
}

const compiled = new Map<string, GoRegexp | { readonly error: string }>();
const limit = 2048;

/** The beginning of a pattern that is too large to be shown. */
const shown = (pattern: string): string => (pattern.length > 100 ? `${pattern.slice(0, 100)}...` : pattern);

function compile(pattern: string): GoRegexp | { readonly error: string } {
  try {
    const program = RE2JS.compile(pattern).re2Input.prog as Program;
    const search = once(() => new RegexpSearch(program));
    const matcher = once(() => regexpMatcher(pattern));
    const find: GoRegexp['find'] = (text, from, steps) => {
      const scanned = matcher()?.scan(text, from, steps);
      if (scanned?.found === false) return undefined;
      return search().find(text, scanned?.idleAt ?? from, steps);
    };
    const found = (text: string, steps: Steps): boolean => {
      const scanned = matcher()?.scan(text, 0, steps);
      return scanned ? scanned.found : search().find(text, 0, steps) !== undefined;
    };
    return { test: (text, steps) => (steps ? found(text, steps) : bounded(found, text)), find };
  } catch (error) {
    if (error instanceof RE2JSException) return { error: error.message };
    throw error;
  }
}

function bounded(found: (text: string, steps: Steps) => boolean, text: string): boolean {
  try {
    return found(text, new StepLimit(maxSteps));
  } catch (error) {
    if (error instanceof OutOfSteps) return false;
    throw error;
  }
}

/**
 * A pattern compiled (and remembered), or the text of what is wrong with it: `error parsing regexp: ...`. `steps` counts what compiling takes.
 */
// differs: Go takes patterns that compile to some three million instructions; there is no use for patterns of such a size here
export function goRegexp(pattern: string, steps?: Steps): GoRegexp | { readonly error: string } {
  const known = compiled.get(pattern);
  if (known) return known;
  const size = pattern.length > longestPattern ? Infinity : regexpSize(pattern);
  if (size > largestPattern) return { error: `error parsing regexp: expression too large: \`${shown(pattern)}\`` };
  steps?.take(compileSteps * (pattern.length + size));
  const made = compile(pattern);
  if (compiled.size >= limit) compiled.clear();
  compiled.set(pattern, made);
  return made;
}
