/** Pseudo-random numbers, which are the same for the same seed. */
export interface Random {
  /** Returns a number from 0 to below 1. */
  readonly next: () => number;
  /** Returns a whole number from 0 to below `n`. */
  readonly below: (n: number) => number;
  readonly chance: (probability: number) => boolean;
  readonly pick: <T>(list: readonly T[]) => T;
  readonly bytes: (n: number) => Buffer;
}

/** Returns the generator of a seed. The algorithm is mulberry32. */
export function random(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  const below = (n: number): number => Math.floor(next() * n);
  return {
    next,
    below,
    chance: probability => next() < probability,
    pick: list => list[below(list.length)] as never,
    bytes: n => Buffer.from(Array.from({ length: n }, () => below(256))),
  };
}
