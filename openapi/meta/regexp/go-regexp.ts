/** Regular expressions in Go's syntax (RE2), matched in linear time, with Go's texts of syntax errors. */
import { RE2JS, RE2JSException } from 're2js';
import { regexpMatcher } from './regexp-matcher.js';

export interface GoRegexp {
  /** Whether the pattern is found anywhere. */
  test(text: string): boolean;
  /** The first place where it is found: the match and its groups; a group that took no part is undefined. */
  find(
    text: string,
    from?: number,
  ): { readonly at: number; readonly end: number; readonly groups: readonly (string | undefined)[] } | undefined;
}

const compiled = new Map<string, GoRegexp | { readonly error: string }>();
const limit = 2048;

function compile(pattern: string): GoRegexp | { readonly error: string } {
  try {
    const regexp = RE2JS.compile(pattern);
    // re2js knows all patterns, and has hundreds of nanoseconds for each character of some.
    const matcher = regexpMatcher(pattern);
    return {
      test: text => matcher?.test(text) ?? regexp.test(text),
      find: (text, from = 0) => {
        const matcher = regexp.matcher(text);
        if (!matcher.find(from)) return undefined;
        const groups = Array.from({ length: matcher.groupCount() + 1 }, (_, i) => matcher.group(i) ?? undefined);
        return { at: matcher.start(0), end: matcher.end(0), groups };
      },
    };
  } catch (error) {
    if (error instanceof RE2JSException) return { error: error.message };
    throw error;
  }
}

/** A pattern compiled (and remembered), or the text of what is wrong with it: `error parsing regexp: ...`. */
export function goRegexp(pattern: string): GoRegexp | { readonly error: string } {
  let found = compiled.get(pattern);
  if (!found) {
    found = compile(pattern);
    if (compiled.size >= limit) compiled.clear();
    compiled.set(pattern, found);
  }
  return found;
}
