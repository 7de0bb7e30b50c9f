import { createHash } from 'node:crypto';
import { memoizeByText } from '../../lib/collections/memoize-by-text.js';

/** Queues that a flow may use: `size` of `deck`, without repetition, picked by 64 bits of entropy. as apiserver/pkg/util/shufflesharding Deal */
export function deal(entropy: bigint, deck: number, size: number): readonly number[] {
  const hand: number[] = [];
  let rest = entropy;
  for (let i = 0; i < size; i++) {
    const left = BigInt(deck - i);
    // Counts among the cards that are left: those that were taken before it, lowest first, push it up.
    let card = Number(rest % left);
    rest /= left;
    for (const taken of hand.toSorted((a, b) => a - b)) if (card >= taken) card++;
    hand.push(card);
  }
  return hand;
}

/** Of a flow: its schema, and who or where it is in the words of the schema's distinguisher. */
export function flowEntropy(schema: string, distinguisher: string): bigint {
  return createHash('sha256').update(schema).update('\0').update(distinguisher).digest().readBigUInt64BE();
}

/** hot: hands by flow, each dealt once. */
export const dealer = (schema: string, deck: number, size: number): ((distinguisher: string) => readonly number[]) =>
  memoizeByText(distinguisher => deal(flowEntropy(schema, distinguisher), deck, size));
