import { StatusError } from '../../apimachinery/errors/status.js';
import type { Key } from '../../client/runtime/interface.js';
import { isUnreachable } from '../../lib/logging/cause.js';

/**
 * Maximum number of attempts before a Work shows the failure: those that an overloaded server refuses, and those whose connection breaks while the
 * member works. client-go repeats a request that is refused, so that Karmada shows it late, too.
 */
const maxAttempts = { overload: 5, brokenConnection: 2 } as const;

type Kind = keyof typeof maxAttempts;

/** Counts the failures of Works that a retry will most likely mend, so that neither their conditions nor Events show them. */
export class PassingFailures {
  /** The failures of each kind since the last success or other failure. */
  readonly #counts = new Map<Key, Record<Kind, number>>();

  /** Counts a failed attempt, with the errors of its manifests. Reports whether the failure passes, and is not shown. */
  isPassing(key: Key, failures: readonly unknown[], isMemberDown: boolean): boolean {
    const kind = kindOf(failures, isMemberDown);
    if (!kind) {
      this.forget(key);
      return false;
    }
    const counts = this.#counts.get(key) ?? { overload: 0, brokenConnection: 0 };
    this.#counts.set(key, counts);
    // The count stays at the maximum, so that a failure that lasts is not hidden again.
    counts[kind] = Math.min(counts[kind] + 1, maxAttempts[kind]);
    return counts[kind] < maxAttempts[kind];
  }

  /** Forgets the failures of a Work that was applied, or is not applied any more. */
  forget(key: Key): void {
    this.#counts.delete(key);
  }
}

function kindOf(failures: readonly unknown[], isMemberDown: boolean): Kind | undefined {
  if (failures.every(failure => failure instanceof StatusError && failure.code === 429)) return 'overload';
  return !isMemberDown && failures.every(failure => isUnreachable(failure)) ? 'brokenConnection' : undefined;
}
