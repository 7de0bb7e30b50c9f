/** The nesting depth of JSON. Most code that visits objects is recursive, and the stack does not grow. */
import { afterString } from './after-string.js';

/**
 * The deepest nesting that is accepted. differs: upstream accepts 10000 levels, and its stack grows. Here half of the stack is left for the code
 * that needs most of it (`test/e2e/depth.test.ts`): when it overflows while a regular expression is compiled, the process ends.
 */
export const maxDepth = 500;

const isContainer = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** Appends the objects and lists directly in a value to `out`. Returns the number of all its items or members. */
// hot: `for in` takes half as long as Object.values for an object with tens of thousands of members.
export function containersIn(value: object, out: object[]): number {
  if (Array.isArray(value)) {
    for (const item of value) if (isContainer(item)) out.push(item);
    return value.length;
  }
  let count = 0;
  for (const key in value) {
    const member = (value as Readonly<Record<string, unknown>>)[key];
    if (isContainer(member)) out.push(member);
    count++;
  }
  return count;
}

/** Returns the nesting depth, up to a little more than `max`, without recursion. `visit` appends the objects and lists in a value to `out`. */
export function depthOf(
  value: unknown,
  max = Infinity,
  visit: (value: object, out: object[]) => void = containersIn,
): number {
  let depth = 0;
  let level = isContainer(value) ? [value] : [];
  for (; level.length > 0 && depth <= max; depth++) {
    const next: object[] = [];
    for (const each of level) visit(each, next);
    level = next;
  }
  return depth;
}

/** Returns whether a text opens more than `max` objects and lists. hot: usually false, and then the depth need not be computed. */
function mayBeDeep(text: string, max: number): boolean {
  if (text.length <= 2 * max) return false;
  let opened = 0;
  for (const bracket of '{[')
    for (let at = text.indexOf(bracket); at >= 0; at = text.indexOf(bracket, at + 1)) if (++opened > max) return true;
  return false;
}

const quote = 0x22;
const openingBrace = 0x7b;
const closingBrace = 0x7d;

/** Returns whether the nesting depth of a JSON text exceeds `max`. The result means nothing for a text that is not JSON. */
export function isDeeperThan(text: string, max: number): boolean {
  if (!mayBeDeep(text, max)) return false;
  let depth = 0;
  for (let at = 0; at < text.length;) {
    const code = text.charCodeAt(at);
    if (code === quote) {
      at = afterString(text, at);
      continue;
    }
    // The codes of a bracket and a brace of the same side differ in one bit.
    const brace = code | 0x20;
    if (brace === openingBrace && ++depth > max) return true;
    if (brace === closingBrace) depth--;
    at++;
  }
  return false;
}
