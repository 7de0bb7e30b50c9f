/** Searches a string in another in linear time, not in the product of their lengths. */
import type { Steps } from '../../steps.js';

/** V8's search may compare every character of one string with every character of the other, so it is used for short ones only. */
const maxNativePart = 16;
const maxNativeProduct = 65_536;

/** Returns for each position of a string the length of its longest proper prefix that ends there. */
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

/** Searches one string in others. */
export class TextSearch {
  readonly part: string;
  private borders: Int32Array | undefined;

  constructor(part: string) {
    this.part = part;
  }

  /** Returns the first position at or after `from`, in UTF-16 units; -1 when there is none. */
  find(text: string, from: number, steps: Steps): number {
    const { part } = this;
    const rest = text.length - from;
    if (part.length > rest) return -1;
    if (part.length <= maxNativePart || part.length * rest <= maxNativeProduct)
      return this.nativeFind(text, from, steps);
    if (!this.borders) steps.take(part.length >> 1);
    this.borders ??= bordersOf(part);
    return this.search(text, from, this.borders, steps);
  }

  private nativeFind(text: string, from: number, steps: Steps): number {
    const at = text.indexOf(this.part, from);
    steps.take(1 + (((at < 0 ? text.length : at) - from) >> 3));
    return at;
  }

  // The algorithm of Knuth, Morris and Pratt: no character is compared more than twice.
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

/** Returns the first position of a string in another at or after `from`, in UTF-16 units; -1 when there is none. */
export const findText = (text: string, part: string, from: number, steps: Steps): number =>
  new TextSearch(part).find(text, from, steps);

/** Returns the last position at or before `to`, in UTF-16 units; -1 when there is none. */
export function findLastText(text: string, part: string, to: number, steps: Steps): number {
  if (part.length <= maxNativePart || part.length * (to + part.length) <= maxNativeProduct) {
    steps.take(1 + (to >> 3));
    return text.lastIndexOf(part, to);
  }
  const searched = Math.min(text.length, to + part.length);
  steps.take((searched + part.length) >> 1);
  const backwards = (of: string): string => of.split('').reverse().join('');
  const at = findText(backwards(text.slice(0, searched)), backwards(part), 0, steps);
  return at < 0 ? -1 : searched - at - part.length;
}
