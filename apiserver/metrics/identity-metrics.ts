/** Metrics of authentication and authorization. as apiserver/pkg/endpoints/filters/metrics.go */
import type { Registry } from 'prom-client';
import { counter, type CounterSeries, histogram, type HistogramSeries } from './series.js';

export type AuthenticationResult = 'success' | 'failure' | 'error';
export type AuthorizationResult = 'allowed' | 'denied' | 'no-opinion' | 'error';

export interface ObserveIdentity {
  /** `user` is the name of the user when the result is a success. */
  authenticated(result: AuthenticationResult, seconds: number, user: string): void;
  authorized(result: AuthorizationResult, seconds: number): void;
  /** Records the seconds until a client certificate expires. */
  readonly certificate: (remaining: number) => void;
}

/** From 1 ms on, each bound is twice the one before. */
const seconds = Array.from({ length: 15 }, (_, i) => 0.001 * 2 ** i);
const [minute, hour, day] = [60, 3600, 86_400];
// as apiserver/pkg/authentication/request/x509
const lifetimes = [
  ...[0, 30 * minute, hour, 2 * hour, 6 * hour, 12 * hour],
  ...[1, 2, 4, 7, 30, 90, 180, 360].map(days => days * day),
];

const labelledUsers: ReadonlySet<string> = new Set([
  'admin',
  'client',
  'kube_proxy',
  'kubelet',
  'system:serviceaccount:kube-system:default',
]);

/** Returns the label of a user, as compressUsername: names are too many, and personal data. */
const userLabel = (name: string): string =>
  labelledUsers.has(name) ? name : name.includes('@') ? 'email_id' : 'other';

/** The series of one result. */
interface Pair {
  readonly count: CounterSeries;
  readonly duration: HistogramSeries;
}

/** Returns a look-up of the series of a result. */
function pairsByResult<R extends string>(
  count: ReturnType<typeof counter>,
  duration: ReturnType<typeof histogram>,
): (result: R) => Pair {
  const known = new Map<R, Pair>();
  return result => {
    let pair = known.get(result);
    if (!pair) known.set(result, (pair = { count: count({ result }), duration: duration({ result }) }));
    return pair;
  };
}

/** Registers the metrics of authentication and authorization. Returns what is called with each result. */
export function identityMetrics(registry: Registry): ObserveIdentity {
  const users = counter(registry, 'authenticated_user_requests', '[ALPHA] Requests of recognised users, by name.');
  const attempts = counter(registry, 'authentication_attempts', '[ALPHA] Attempts to be recognised, by result.');
  const took = histogram(
    registry,
    'authentication_duration_seconds',
    '[ALPHA] Seconds until somebody is recognised, by result.',
    seconds,
  );
  const decisions = counter(
    registry,
    'authorization_attempts_total',
    '[ALPHA] Decisions whether somebody may, by result.',
  );
  const decided = histogram(
    registry,
    'authorization_duration_seconds',
    '[ALPHA] Seconds until it is decided whether somebody may, by result.',
    seconds,
  );
  const certificates = histogram(
    registry,
    'apiserver_client_certificate_expiration_seconds',
    '[ALPHA] Seconds for which certificates are still valid that requests were recognised by.',
    lifetimes,
  )({});
  const byAuthentication = pairsByResult<AuthenticationResult>(attempts, took);
  const byAuthorization = pairsByResult<AuthorizationResult>(decisions, decided);
  const byUser = new Map<string, CounterSeries>();

  return {
    authenticated(result, passed, user) {
      const { count, duration } = byAuthentication(result);
      count.inc();
      duration.observe(passed);
      if (result !== 'success') return;
      const username = userLabel(user);
      let series = byUser.get(username);
      if (!series) byUser.set(username, (series = users({ username })));
      series.inc();
    },
    authorized(result, passed) {
      const { count, duration } = byAuthorization(result);
      count.inc();
      duration.observe(passed);
    },
    certificate: remaining => certificates.observe(remaining),
  };
}
