/** Objects whose workers may wait at a time: fewer than the workers of a controller. */
const maxObjects = 4;

/** Objects of one owner whose workers may wait at a time. */
const maxPerOwner = 2;

interface Held {
  readonly owner: string;
  /** Calls that are awaited for the object. A worker may await several at a time: one for each cluster. */
  calls: number;
}

/** Limits the workers that wait for slow calls. */
export class WaitingWorkers {
  /** By object. */
  readonly #held = new Map<string, Held>();

  /** Awaits the result of `wait` for an object. Resolves with undefined at once if too many workers wait already. */
  async run<T>(owner: string, object: string, wait: () => Promise<T>): Promise<T | undefined> {
    const held = this.#held.get(object) ?? this.#hold(owner, object);
    if (!held) return undefined;
    held.calls++;
    try {
      return await wait();
    } finally {
      if (--held.calls === 0) this.#held.delete(object);
    }
  }

  #hold(owner: string, object: string): Held | undefined {
    if (this.#held.size >= maxObjects) return undefined;
    const others = [...this.#held.values()].filter(held => held.owner === owner);
    if (others.length >= maxPerOwner) return undefined;
    const held = { owner, calls: 0 };
    this.#held.set(object, held);
    return held;
  }
}
