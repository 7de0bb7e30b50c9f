/**
 * Computes differences of texts in the unified format with the algorithm of Python's difflib: longest common block first, then the parts before
 * and after it.
 */

type Block = readonly [a: number, b: number, size: number];
type Change = { readonly same: boolean; readonly a: readonly [number, number]; readonly b: readonly [number, number] };

/** In texts of at least this many lines, frequent lines do not start a block. */
const popularFrom = 200;

/** Returns the indexes of each line; of frequent lines in long texts none. */
function indexesOf(lines: readonly string[]): ReadonlyMap<string, readonly number[]> {
  const found = new Map<string, number[]>();
  for (const [i, line] of lines.entries()) found.set(line, [...(found.get(line) ?? []), i]);
  if (lines.length >= popularFrom) {
    const maxCount = Math.trunc(lines.length / 100) + 1;
    for (const [line, at] of found) if (at.length > maxCount) found.delete(line);
  }
  return found;
}

/** Returns the longest common block between the bounds, the first of that length; extended over frequent lines. */
function longestBlock(
  a: readonly string[],
  b: readonly string[],
  inB: ReadonlyMap<string, readonly number[]>,
  [aLow, aHigh, bLow, bHigh]: readonly [number, number, number, number],
): Block {
  let [bestA, bestB, size] = [aLow, bLow, 0];
  let lengths = new Map<number, number>();
  for (let i = aLow; i < aHigh; i++) {
    const next = new Map<number, number>();
    for (const j of inB.get(a[i] ?? '') ?? []) {
      if (j < bLow) continue;
      if (j >= bHigh) break;
      const k = (lengths.get(j - 1) ?? 0) + 1;
      next.set(j, k);
      if (k > size) [bestA, bestB, size] = [i - k + 1, j - k + 1, k];
    }
    lengths = next;
  }
  while (bestA > aLow && bestB > bLow && a[bestA - 1] === b[bestB - 1]) {
    bestA--;
    bestB--;
    size++;
  }
  while (bestA + size < aHigh && bestB + size < bHigh && a[bestA + size] === b[bestB + size]) size++;
  return [bestA, bestB, size];
}

function blocks(a: readonly string[], b: readonly string[]): Block[] {
  const inB = indexesOf(b);
  const found: Block[] = [];
  const search = (aLow: number, aHigh: number, bLow: number, bHigh: number): void => {
    const [i, j, size] = longestBlock(a, b, inB, [aLow, aHigh, bLow, bHigh]);
    if (size === 0) return;
    if (aLow < i && bLow < j) search(aLow, i, bLow, j);
    found.push([i, j, size]);
    if (i + size < aHigh && j + size < bHigh) search(i + size, aHigh, j + size, bHigh);
  };
  search(0, a.length, 0, b.length);
  return found;
}

function changes(a: readonly string[], b: readonly string[]): Change[] {
  const out: Change[] = [];
  let [i, j] = [0, 0];
  for (const [ai, bj, size] of [...blocks(a, b), [a.length, b.length, 0] as const]) {
    if (i < ai || j < bj) out.push({ same: false, a: [i, ai], b: [j, bj] });
    if (size > 0) out.push({ same: true, a: [ai, ai + size], b: [bj, bj + size] });
    [i, j] = [ai + size, bj + size];
  }
  return out;
}

/** Groups changes with at most `context` unchanged lines around them. */
function hunks(all: readonly Change[], context: number): Change[][] {
  const out: Change[][] = [[]];
  for (const [n, change] of all.entries()) {
    const [a0, a1] = change.a;
    const [b0, b1] = change.b;
    const last = out.at(-1) ?? [];
    if (!change.same) last.push(change);
    else if (n === 0)
      last.push({ same: true, a: [Math.max(a0, a1 - context), a1], b: [Math.max(b0, b1 - context), b1] });
    else if (n === all.length - 1 || a1 - a0 > 2 * context) {
      last.push({ same: true, a: [a0, Math.min(a1, a0 + context)], b: [b0, Math.min(b1, b0 + context)] });
      if (n < all.length - 1)
        out.push([{ same: true, a: [Math.max(a0, a1 - context), a1], b: [Math.max(b0, b1 - context), b1] }]);
    } else last.push(change);
  }
  return out.filter(hunk => hunk.some(change => !change.same));
}

function range(from: number, to: number): string {
  const length = to - from;
  const start = length === 0 ? from : from + 1;
  return length === 1 ? `${start}` : `${start},${length}`;
}

/** Returns the difference in the unified format; '' if the texts are equal. Every line ends with a newline, as in Go's difflib. */
export function unifiedDiff(before: string, after: string, context = 3): string {
  const a = before.split('\n');
  const b = after.split('\n');
  let out = '';
  for (const hunk of hunks(changes(a, b), context)) {
    const first = hunk[0];
    const last = hunk.at(-1);
    if (!first || !last) continue;
    out += `@@ -${range(first.a[0], last.a[1])} +${range(first.b[0], last.b[1])} @@\n`;
    for (const change of hunk) {
      if (change.same) for (const line of a.slice(...change.a)) out += ` ${line}\n`;
      else {
        for (const line of a.slice(...change.a)) out += `-${line}\n`;
        for (const line of b.slice(...change.b)) out += `+${line}\n`;
      }
    }
  }
  return out;
}
