/** That one is there, for him who is. */
export interface Presence {
  /** Once is enough. */
  leave(): void;
}

class Member<T> implements Presence {
  readonly value: T;
  #index: number;
  readonly #members: Member<T>[];

  constructor(value: T, members: Member<T>[]) {
    this.value = value;
    this.#members = members;
    this.#index = members.push(this) - 1;
  }

  leave(): void {
    if (this.#index < 0) return;
    const last = this.#members.pop();
    if (last !== undefined && last !== this) {
      this.#members[this.#index] = last;
      last.#index = this.#index;
    }
    this.#index = -1;
  }
}

/** Those who are there just now, in no order. A Set would keep alive who has left (`TransientMap` says why). */
export class Crowd<T> {
  readonly #members: Member<T>[] = [];

  get size(): number {
    return this.#members.length;
  }

  /** hot. */
  enter(value: T): Presence {
    return new Member(value, this.#members);
  }

  /** All of now: those who leave or enter meanwhile change nothing. */
  values(): T[] {
    return this.#members.map(member => member.value);
  }
}
