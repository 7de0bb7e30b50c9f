/** Computes the size of a pattern with expanded repetitions, before it is compiled. */

/** Matches `{2}`, `{2,}`, `{2,5}` at the current position. */
const bounds = /\{(\d{1,9})(?:,(\d{0,9}))?\}/y;

/** The size of a class such as `\\pL`, which has hundreds of ranges. */
const unicodeClass = 20;

interface Group {
  /** The size of the complete parts. */
  before: number;
  /** The size of the last atom, which a repetition multiplies. */
  last: number;
}

/** Returns the position after a bracketed class, or the end of the pattern. */
function afterClass(pattern: string, open: number): number {
  let at = open + 1;
  if (pattern[at] === '^') at++;
  if (pattern[at] === ']') at++;
  for (; at < pattern.length && pattern[at] !== ']'; at++) {
    if (pattern[at] === '\\') at++;
    else if (pattern[at] === '[' && pattern[at + 1] === ':') at = Math.max(at, pattern.indexOf(':]', at + 2) + 1);
  }
  return at + 1;
}

/** Returns the number of repetitions and the position after them; undefined when there is no repetition. */
function repeated(pattern: string, at: number): { readonly times: number; readonly after: number } | undefined {
  bounds.lastIndex = at;
  const found = bounds.exec(pattern);
  if (!found) return undefined;
  const times = Math.max(Number(found[1]), Number(found[2] ?? 0), 1);
  return { times, after: bounds.lastIndex };
}

/** Returns an upper bound of a pattern's atoms and operators with expanded repetitions, in one pass. Invalid patterns have a size, too. */
export function regexpSize(pattern: string): number {
  const open: Group[] = [];
  let group: Group = { before: 0, last: 0 };
  const atom = (size: number): void => {
    group.before += group.last;
    group.last = size;
  };
  for (let at = 0; at < pattern.length;) {
    const character = pattern[at];
    if (character === '(') {
      open.push(group);
      group = { before: 1, last: 0 };
      at++;
    } else if (character === ')') {
      const inner = group.before + group.last;
      group = open.pop() ?? { before: 0, last: 0 };
      atom(inner);
      at++;
    } else if (character === '[') {
      const after = afterClass(pattern, at);
      atom(1);
      at = after;
    } else if (character === '{') {
      const found = repeated(pattern, at);
      if (found) group.last = group.last * found.times + 1;
      else atom(1);
      at = found?.after ?? at + 1;
    } else if (character === '*' || character === '+' || character === '?') {
      group.last++;
      at++;
    } else if (character === '\\') {
      atom(/[pP]/.test(pattern[at + 1] ?? '') ? unicodeClass : 1);
      at += 2;
    } else {
      atom(1);
      at++;
    }
  }
  for (let outer = open.pop(); outer; outer = open.pop()) {
    const inner = group.before + group.last;
    group = outer;
    atom(inner);
  }
  return group.before + group.last;
}
