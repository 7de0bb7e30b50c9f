/** Where a text stands in another, in a number of steps that grows with their lengths and not with the product of them. */
import type { Steps } from '../steps.js';

/** The engine's own search may compare every character of one text with every character of the other: it is left what is short. */
const longestOwn = 16;
const smallProduct = 65_536;

/** For each place of a text the length of its longest beginning that ends there, less than all of it. */
function bordersOf(part: string): Int32Array {
  const borders = new Int32Array(part.length);
  let length = 0;
  for (let i = 1; i < part.length; i++) {
    const unit = part.charCodeAt(i);
    while (length > 0 && unit !== part.charCodeAt(length)) length = borders[length - 1] as number;
    if (unit === part.charCodeAt(length)) length++;
    borders[i] = length;
  }
  return borders;
}

/** Finds one text in others. */
export class TextSearch {
  readonly part: string;
  private borders: Int32Array | undefined;

  constructor(part: string) {
    this.part = part;
  }

  /** The first place at `from` or behind it, in UTF-16 units; -1 where it is not found. */
  find(text: string, from: number, steps: Steps): number {
    const { part } = this;
    const rest = text.length - from;
    if (part.length > rest) return -1;
    if (part.length <= longestOwn || part.length * rest <= smallProduct) return this.ownFind(text, from, steps);
    if (!this.borders) steps.take(part.length >> 1);
    this.borders ??= bordersOf(part);
    return this.search(text, from, this.borders, steps);
  }

  private ownFind(text: string, from: number, steps: Steps): number {
    const at = text.indexOf(this.part, from);
    steps.take(1 + (((at < 0 ? text.length : at) - from) >> 3));
    return at;
  }

  // as Knuth, Morris and Pratt: no character is looked at more than twice.
  private search(text: string, from: number, borders: Int32Array, steps: Steps): number {
    const { part } = this;
    let length = 0;
    let due = from;
    for (let i = from; i < text.length; i++) {
      if (i >= due) {
        steps.take(1024);
        due = i + 4096;
      }
      const unit = text.charCodeAt(i);
      while (length > 0 && unit !== part.charCodeAt(length)) length = borders[length - 1] as number;
      if (unit === part.charCodeAt(length)) length++;
      if (length === part.length) return i + 1 - length;
    }
    return -1;
  }
}

/** The first place of a text in another at `from` or behind it, in UTF-16 units; -1 where it is not found. */
export const findText = (text: string, part: string, from: number, steps: Steps): number =>
  new TextSearch(part).find(text, from, steps);

/** The last place at `to` or before it, in UTF-16 units; -1 where it is not found. */
export function findLastText(text: string, part: string, to: number, steps: Steps): number {
  if (part.length <= longestOwn || part.length * (to + part.length) <= smallProduct) {
    steps.take(1 + (to >> 3));
    return text.lastIndexOf(part, to);
  }
  const searched = Math.min(text.length, to + part.length);
  steps.take((searched + part.length) >> 1);
  const backwards = (of: string): string => of.split('').reverse().join('');
  const at = findText(backwards(text.slice(0, searched)), backwards(part), 0, steps);
  return at < 0 ? -1 : searched - at - part.length;
}
