/** How deep JSON nests. Most of what looks at an object goes down with it on the stack, which does not grow. */

/**
 * The deepest nesting that is read. differs: upstream reads 10000 levels, and its stack grows. Here half of the stack is left for whoever needs
 * most of it (`test/e2e/depth.test.ts`): where it ends a regular expression that is compiled just then ends the process.
 */
export const maxDepth = 500;

type Parts = (value: object) => readonly unknown[];

/** How many objects and lists stand in one another, up to a little more than `most`; without recursion. */
export function depthOf(value: unknown, most = Infinity, partsOf: Parts = Object.values): number {
  let depth = 0;
  let level = typeof value === 'object' && value !== null ? [value] : [];
  for (; level.length > 0 && depth <= most; depth++) {
    const next: object[] = [];
    for (const each of level)
      for (const part of partsOf(each)) if (typeof part === 'object' && part !== null) next.push(part);
    level = next;
  }
  return depth;
}

/** Whether a text opens more objects and lists than `most`. hot: what does not is not walked for it. */
export function mayBeDeep(text: string, most: number): boolean {
  if (text.length <= 2 * most) return false;
  let opened = 0;
  for (const bracket of '{[')
    for (let at = text.indexOf(bracket); at >= 0; at = text.indexOf(bracket, at + 1)) if (++opened > most) return true;
  return false;
}
