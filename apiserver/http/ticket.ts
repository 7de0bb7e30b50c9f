/** Priority and fairness: the seats that a request holds. */

/** The seats of a request. Created when the request is classified; `finish` releases them, once. */
export interface Ticket {
  /** The uids of the FlowSchema and the PriorityLevelConfiguration, for headers of the answer. */
  readonly schemaUid: string;
  readonly levelUid: string;
  /** A watch has sent its initial events: from now on it takes no seat. */
  initialised(): void;
  /** The request has ended, or will never be served. */
  finish(): void;
}
