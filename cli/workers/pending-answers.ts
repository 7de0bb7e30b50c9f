interface Pending<T> {
  /** The id of the request, with which its answer comes. */
  readonly id: number;
  readonly answer: Promise<T>;
}

/** Requests to another process whose answers have not come yet. */
export class PendingAnswers<T> {
  readonly #waiting = new Map<number, (answer: T) => void>();
  #lastId = 0;

  /** Begins a request. Its answer has to be settled in any case, or it is waited for without end. */
  begin(): Pending<T> {
    const id = ++this.#lastId;
    const answer = new Promise<T>(resolve => this.#waiting.set(id, resolve));
    return { id, answer };
  }

  /** Resolves the answer to a request. Later answers to it are ignored. */
  settle(id: number, answer: T): void {
    this.#waiting.get(id)?.(answer);
    this.#waiting.delete(id);
  }
}
