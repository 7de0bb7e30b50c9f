import { createHash } from 'node:crypto';
import { memoizeByText } from '../../lib/collections/memoize-by-text.js';

/**
 * Returns the queues that a flow may use: `size` of `deck`, without repetition, selected by 64 bits of entropy. as apiserver/pkg/util/shufflesharding
 * Deal
 */
export function deal(entropy: bigint, deck: number, size: number): readonly number[] {
  const hand: number[] = [];
  let remaining = entropy;
  for (let i = 0; i < size; i++) {
    const left = BigInt(deck - i);
    // The number counts only the remaining cards: each card that was taken before, lowest first, increases it.
    let card = Number(remaining % left);
    remaining /= left;
    for (const taken of hand.toSorted((a, b) => a - b)) if (card >= taken) card++;
    hand.push(card);
  }
  return hand;
}

/** Returns the entropy of a flow: a hash of its schema and of the value of its distinguisher (a user or a namespace). */
export function flowEntropy(schema: string, distinguisher: string): bigint {
  return createHash('sha256').update(schema).update('\0').update(distinguisher).digest().readBigUInt64BE();
}

/** hot: returns the hand of each flow of a schema, dealt once. */
export const dealer = (schema: string, deck: number, size: number): ((distinguisher: string) => readonly number[]) =>
  memoizeByText(distinguisher => deal(flowEntropy(schema, distinguisher), deck, size));
