/** Whether another process of the control plane can be used for connections to a member. */
import { ExpectedError } from '../../lib/logging/cause.js';
import { AnswerTimeout } from '../remote/transport/upgrade.js';
import { silentPeerMs } from './protocol.js';

/** Another process cannot be reached, or has no tunnel of the cluster. Other failures of a connection through it are those of the member. */
export class PeerUnavailable extends ExpectedError {}

/** Another process does not answer: it is suspended, or its machine or the network is gone. */
export class PeerSilent extends PeerUnavailable {}

/** The codes of a connection to which nothing answers, as opposed to a refusal. */
const silentCodes: ReadonlySet<unknown> = new Set([
  ...['UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT'],
  ...['ETIMEDOUT', 'EHOSTUNREACH', 'EHOSTDOWN', 'ENETUNREACH'],
]);

/** Returns whether a request has failed since nothing answered it. */
export const isSilence = (error: unknown): boolean =>
  error instanceof Error &&
  (error instanceof AnswerTimeout ||
    error.name === 'TimeoutError' ||
    silentCodes.has((error as { code?: unknown }).code));

/** Holds what the connections through one process to one member have shown about the process. Times are those of `performance.now()`. */
export class PeerAvailability {
  /** When the process was first and last unavailable since a connection reached it. */
  #unavailable: { readonly since: number; readonly last: number } | undefined;
  /** The failure of the last connection, if the process was silent. */
  #silence: PeerSilent | undefined;
  /** Until when other connections fail with it. */
  #silentUntil = 0;

  /**
   * Returns why a connection is not to be tried: each would take as long as the one to which the process was silent. One is tried after
   * `silentPeerMs`, while the others still fail.
   */
  refusal(): PeerSilent | undefined {
    if (!this.#silence) return undefined;
    const now = performance.now();
    if (now < this.#silentUntil) return this.#silence;
    this.#silentUntil = now + silentPeerMs;
    return undefined;
  }

  reached(): void {
    this.#unavailable = undefined;
    this.#silence = undefined;
  }

  failed(error: PeerUnavailable): void {
    const now = performance.now();
    this.#unavailable = { since: this.#unavailable?.since ?? now, last: now };
    this.#silence = error instanceof PeerSilent ? error : undefined;
    this.#silentUntil = now + silentPeerMs;
  }

  /** Returns whether the process was unavailable for more than so many milliseconds, and still was less than so many ago. */
  isLost(milliseconds: number): boolean {
    if (!this.#unavailable) return false;
    const { since, last } = this.#unavailable;
    const now = performance.now();
    return now - since > milliseconds && now - last <= milliseconds;
  }
}
