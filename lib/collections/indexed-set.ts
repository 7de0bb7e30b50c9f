/** The membership of a value, with which its owner removes it. */
export interface Registration {
  /** Removes the value; further calls do nothing. */
  remove(): void;
}

class Member<T> implements Registration {
  readonly value: T;
  #index: number;
  readonly #members: Member<T>[];

  constructor(value: T, members: Member<T>[]) {
    this.value = value;
    this.#members = members;
    this.#index = members.push(this) - 1;
  }

  remove(): void {
    if (this.#index < 0) return;
    const last = this.#members.pop();
    if (last !== undefined && last !== this) {
      this.#members[this.#index] = last;
      last.#index = this.#index;
    }
    this.#index = -1;
  }
}

/** The current members, in no order. A Set would keep removed ones alive (see `ChurnMap`). */
export class IndexedSet<T> {
  readonly #members: Member<T>[] = [];

  get size(): number {
    return this.#members.length;
  }

  /** hot: every request and every watcher. Adds a value; the result removes it. */
  add(value: T): Registration {
    return new Member(value, this.#members);
  }

  /** Returns a copy of the current members; later changes do not affect it. */
  values(): T[] {
    return this.#members.map(member => member.value);
  }
}
