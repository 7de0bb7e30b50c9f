/** Priority and fairness: the seats that a request holds. */

/** The seats of a request. Created when the request is classified; `finish` releases them, once. */
export interface Ticket {
  /** The uids of the FlowSchema and the PriorityLevelConfiguration, for headers of the answer. */
  readonly schemaUid: string;
  readonly levelUid: string;
  /** To be called when a watch has sent its initial events: from then on it takes no seat. */
  initialised(): void;
  /** Releases the seats. To be called when the request has ended, or will never be served. */
  finish(): void;
}
