/** How the API server of a simulated member responds to its clients. Its controllers and Pods run in every state. */
export type Reachability =
  | { readonly state: 'running' }
  /** Connections are refused, or, when `silent`, accepted and never answered. */
  | { readonly state: 'stopped'; readonly silent: boolean }
  /** Every request waits so many milliseconds before it is served. */
  | { readonly state: 'slow'; readonly delayMs: number };

/** The longest delay of a slow member in milliseconds: clients time out long before. */
export const maxDelayMs = 600_000;

/** Parses the reachability. Throws an Error with a text for the user. */
export function parseReachability(value: unknown): Reachability {
  const { state, silent, delayMs } = (typeof value === 'object' && value !== null ? value : {}) as Record<
    string,
    unknown
  >;
  if (state === 'running') return { state };
  if (state === 'stopped') return { state, silent: silent === true };
  if (state !== 'slow') throw new Error('state: want running, stopped or slow');
  if (typeof delayMs !== 'number' || !(delayMs > 0 && delayMs <= maxDelayMs))
    throw new Error(`delayMs: want a number above 0 and up to ${maxDelayMs}`);
  return { state, delayMs };
}
