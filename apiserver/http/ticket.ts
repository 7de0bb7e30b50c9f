/** Priority and fairness: what a request holds of the server's seats. */

/** A request's place. Made when it is classified; `finish` gives it back, once. */
export interface Ticket {
  /** Objects that the answer names. */
  readonly schemaUid: string;
  readonly levelUid: string;
  /** A watch has told what was there: from now on it takes no seat. */
  initialised(): void;
  /** The request is done, or will never be served. */
  finish(): void;
}
