import type { RenewableClient } from '../../aggregation/remote/renewable-client.js';
import { deepEqual } from '../../lib/json/equality.js';
import { causeText } from '../../lib/logging/cause.js';
import { FailureState } from '../../lib/logging/failure-state.js';
import type { Logger } from '../../lib/logging/interface.js';
import { systemClock } from '../../lib/clock.js';
import type { Endpoint } from '../../aggregation/interface.js';
import type { EndpointSource } from './endpoint-source.js';

/** Milliseconds between two looks at files: the kubelet takes about a minute to bring a changed Secret into a volume. */
const defaultPeriodMs = 20_000;

interface FollowedCredentials {
  readonly client: RenewableClient;
  readonly source: EndpointSource;
  /** What the source gave when the client was made. */
  readonly first: Endpoint;
  /** The server that the credentials are for, in log lines. */
  readonly what: string;
  readonly log: Logger;
  readonly signal: AbortSignal;
  readonly periodMs?: number;
}

/** Gives a client the credentials that its files have got since. Resolves when the signal has aborted. */
export async function followCredentials(followed: FollowedCredentials): Promise<void> {
  const { client, source, first, what, log, signal, periodMs = defaultPeriodMs } = followed;
  const failureState = new FailureState({
    ...{ log, now: () => systemClock.now() },
    fails: 'credentials cannot be read again; the former ones are used',
    works: 'credentials can be read again',
  });
  let last = first;
  while (!signal.aborted) {
    await systemClock.sleep(periodMs, signal);
    if (signal.aborted) return;
    try {
      const now = source();
      if (!deepEqual(now, last)) {
        client.renew(now); // Throws, for example, if the key is not that of the certificate.
        last = now;
        log.info({ server: what }, 'new credentials are used');
      }
      failureState.worked();
    } catch (error) {
      failureState.failed(error, { server: what, cause: causeText(error) });
    }
  }
}
