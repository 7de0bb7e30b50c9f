/**
 * Regular expressions in Go's syntax (RE2), with Go's texts of syntax errors. Compiling and matching take a limited number of steps for every
 * pattern and text. docs/decisions/0018-regular-expressions.md
 */
import { once } from '../collections/once.js';
import { OutOfSteps, StepLimit, type Steps } from '../steps.js';
import { regexpAutomaton } from './regexp-automaton.js';
import { regexpProgram } from './regexp-program.js';
import { type RegexpMatch, RegexpSearch } from './regexp-search.js';
import { regexpSize } from './regexp-size.js';

/** The longest pattern that is compiled, in UTF-16 units. */
const longestPattern = 4096;
/** The largest size of a pattern that is compiled, with repetitions expanded (`regexpSize`). */
const largestPattern = 4100;
/** Steps of a match without a limit of its own: three MiB of text take two thirds of it with most patterns. */
export const maxMatchSteps = 2_500_000;
/** Steps for compiling a pattern, for each of its characters and atoms. */
const compileSteps = 200;

export interface GoRegexp {
  /**
   * Returns whether the pattern matches anywhere, at about five nanoseconds a character for most patterns; false when that takes more than
   * 2.5 million steps. With `steps` the steps are counted there, and errors of its `take` end the match.
   */
  readonly test: (text: string, steps?: Steps) => boolean;
  /** Returns the leftmost match at or after `from`. Counts steps. Throws the errors of `steps.take`. */
  find(text: string, from: number, steps: Steps): RegexpMatch | undefined;
  /** Does the work that the first match would otherwise have to do. */
  prepare(): void;
}

const compiled = new Map<string, GoRegexp | { readonly error: string }>();
const maxCompiled = 2048;

/** Returns the beginning of a pattern that is too long to be shown. */
const shown = (pattern: string): string => (pattern.length > 100 ? `${pattern.slice(0, 100)}...` : pattern);

function compile(pattern: string): GoRegexp | { readonly error: string } {
  const program = regexpProgram(pattern);
  if ('error' in program) return program;
  const search = once(() => new RegexpSearch(program));
  const automaton = once(() => regexpAutomaton(program));
  const find: GoRegexp['find'] = (text, from, steps) => {
    const scanned = automaton()?.scan(text, from, steps);
    if (scanned?.found === false) return undefined;
    return search().find(text, scanned?.idleAt ?? from, steps);
  };
  const found = (text: string, steps: Steps): boolean => {
    const scanned = automaton()?.scan(text, 0, steps);
    return scanned ? scanned.found : search().find(text, 0, steps) !== undefined;
  };
  return {
    test: (text, steps) => (steps ? found(text, steps) : bounded(found, text)),
    find,
    // A blank matches few patterns: the automaton gets its states at the beginning of a text, and where no match has begun.
    prepare: () => void bounded(found, ' '),
  };
}

function bounded(found: (text: string, steps: Steps) => boolean, text: string): boolean {
  try {
    return found(text, new StepLimit(maxMatchSteps));
  } catch (error) {
    if (error instanceof OutOfSteps) return false;
    throw error;
  }
}

/**
 * Compiles a pattern and caches it. Returns the text of the error for an invalid one: `error parsing regexp: ...`. `steps` counts the
 * compilation.
 */
// differs: Go accepts patterns of up to some three million instructions, which no user needs here
export function goRegexp(pattern: string, steps?: Steps): GoRegexp | { readonly error: string } {
  const known = compiled.get(pattern);
  if (known) return known;
  const size = pattern.length > longestPattern ? Infinity : regexpSize(pattern);
  if (size > largestPattern) return { error: `error parsing regexp: expression too large: \`${shown(pattern)}\`` };
  steps?.take(compileSteps * (pattern.length + size));
  const made = compile(pattern);
  if (compiled.size >= maxCompiled) compiled.clear();
  compiled.set(pattern, made);
  return made;
}
