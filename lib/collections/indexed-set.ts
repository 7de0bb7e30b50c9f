/** That one is there, for him who is. */
export interface Registration {
  /** Once is enough. */
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

/** Those who are there just now, in no order. A Set would keep alive who has left (`ChurnMap` says why). */
export class IndexedSet<T> {
  readonly #members: Member<T>[] = [];

  get size(): number {
    return this.#members.length;
  }

  /** hot. */
  add(value: T): Registration {
    return new Member(value, this.#members);
  }

  /** All of now: those who leave or enter meanwhile change nothing. */
  values(): T[] {
    return this.#members.map(member => member.value);
  }
}
