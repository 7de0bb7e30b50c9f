/** What the pool and a thread say to each other. A thread has one task at a time. */
export interface TaskMessage {
  readonly task: string;
  readonly input: Uint8Array;
}

export type ResultMessage =
  | { readonly output: Uint8Array }
  /** `stack`: of what the task threw. */
  | { readonly failure: { readonly message: string; readonly stack?: string } };
