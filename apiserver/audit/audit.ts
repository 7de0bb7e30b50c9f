/** Writes the audit log: records requests as the policy demands. */
import type { Registry } from 'prom-client';
import { attributesOf, type Audit } from '../http/filters.js';
import type { Request } from '../http/request.js';
import { isLongRunning } from '../http/request-info.js';
import { counter, type CounterSeries } from '../metrics/series.js';
import { evaluator, type AuditLevel, type AuditPolicy, type AuditScope } from './policy.js';
import { Trail } from './trail.js';
import type { Identity } from '../../apimachinery/identity.js';

interface AuditDeps {
  readonly policy: AuditPolicy;
  /** Writes a line, passed without its end. Returns false when the line is lost. */
  readonly write: (line: string) => boolean;
  readonly registry: Registry;
}

/**
 * Returns the message for a failed authentication, with the kinds of credentials that were sent. as apiserver/pkg/endpoints/filters/authn_audit.go
 * getAuthMethods
 */
function failureMessage(request: Request): string {
  const [scheme = '', rest] = (request.header('authorization') ?? '').trim().split(' ');
  const methods = [
    ...(scheme.toLowerCase() === 'basic' && rest !== undefined ? ['basic'] : []),
    ...(scheme.toLowerCase() === 'bearer' && rest !== undefined ? ['bearer'] : []),
    ...(request.query.get('access_token')?.trim() ? ['access_token'] : []),
    ...(request.exchange.peer.certificate ? ['x509'] : []),
  ];
  return methods.length > 0
    ? `Authentication failed, attempted: ${methods.join(', ')}`
    : 'Authentication failed, no credentials provided';
}

/** Begins a trail for every request that the policy wants, and counts them. */
class PolicyAudit implements Audit {
  readonly #evaluate: ReturnType<typeof evaluator>;
  readonly #write: AuditDeps['write'];
  readonly #events: CounterSeries;
  readonly #lost: CounterSeries;
  readonly #byLevel: ReturnType<typeof counter>;
  readonly #levelCounts = new Map<AuditLevel, CounterSeries>();

  constructor({ policy, write, registry }: AuditDeps) {
    this.#evaluate = evaluator(policy);
    this.#write = write;
    this.#events = counter(registry, 'apiserver_audit_event_total', '[ALPHA] Audit events that were made.')({});
    this.#lost = counter(
      registry,
      'apiserver_audit_error_total',
      '[ALPHA] Audit events that were lost.',
    )({ plugin: 'log' });
    this.#byLevel = counter(registry, 'apiserver_audit_level_total', '[ALPHA] Requests by the level of their audit.');
  }

  readonly begin = (request: Request): void => {
    const trail = this.#trailOf(request, request.user);
    if (!trail) return;
    request.audit = trail;
    trail.stage('RequestReceived');
    const longRunning = isLongRunning(request.info);
    request.exchange.onAnswer(code => {
      trail.setCode(code);
      if (longRunning) trail.stage('ResponseStarted');
    });
    request.onceDone(() => trail.end());
  };

  refused(request: Request): void {
    const trail = this.#trailOf(request, undefined);
    if (!trail) return;
    request.audit = trail;
    trail.authenticationFailed(failureMessage(request));
    request.exchange.onAnswer(code => {
      trail.setCode(code);
      trail.stage('ResponseStarted');
    });
  }

  /** Returns undefined for a request that the policy does not want. */
  #trailOf(request: Request, user: Identity | undefined): Trail | undefined {
    const scope: AuditScope = this.#evaluate(user, attributesOf(request.info));
    this.#count(scope.level);
    return scope.level === 'None' ? undefined : new Trail(request, scope, user, this.#emit);
  }

  #count(level: AuditLevel): void {
    let series = this.#levelCounts.get(level);
    if (!series) this.#levelCounts.set(level, (series = this.#byLevel({ level })));
    series.inc();
  }

  readonly #emit = (line: string): void => {
    this.#events.inc();
    if (!this.#write(line)) this.#lost.inc();
  };
}

/** Creates the audit of a server, with its counters in the registry. */
export const audit = (deps: AuditDeps): Audit => new PolicyAudit(deps);
