/** What /healthz, /livez and /readyz look at (HTTP-010). */
import { X509Certificate } from 'node:crypto';
import type { Backend } from '../../storage/interface.js';
import type { HealthCheck } from '../interface.js';

const everywhere: HealthCheck['endpoints'] = ['healthz', 'livez', 'readyz'];

export interface CertificateCheck {
  readonly check: HealthCheck;
  /** Another certificate (PEM) is in use. */
  renewed(certificate: string): void;
}

/** Fails once the certificate (PEM) that the server shows has expired: it could not be renewed while it ran. A start renews it. */
// as apiserver/pkg/server/options/serving_with_loopback.go
// differs: kube-apiserver has a certificate of its own for what it asks itself; here one serves all
export function certificateCheck(certificate: string, now: () => number = Date.now): CertificateCheck {
  const expiry = (pem: string): number => Date.parse(new X509Certificate(pem).validTo);
  let end = expiry(certificate);
  const check = (): void => {
    if (now() > end) throw new Error('loopback serving certificate is expired');
  };
  return {
    check: { name: 'loopback-serving-certificate', endpoints: ['healthz', 'livez'], check },
    renewed: renewed => void (end = expiry(renewed)),
  };
}

export interface HealthChecks {
  readonly checks: readonly HealthCheck[];
  add(check: HealthCheck): void;
  /** A step of the start: its checks fail until the returned function is called. */
  step(names: readonly string[], endpoints?: HealthCheck['endpoints']): () => void;
  /** All steps of the start are done. */
  readonly isComplete: boolean;
}

export function healthChecks(backend: Backend, stopping: AbortSignal): HealthChecks {
  const store = (): Promise<void> => backend.health();
  const checks: HealthCheck[] = [
    { name: 'ping', endpoints: everywhere, check: () => undefined },
    { name: 'log', endpoints: everywhere, check: () => undefined },
    { name: 'etcd', endpoints: everywhere, check: store },
    { name: 'etcd-readiness', endpoints: ['readyz'], check: store },
    {
      name: 'shutdown',
      endpoints: ['readyz'],
      check: () => {
        if (stopping.aborted) throw new Error('process is shutting down');
      },
    },
  ];
  let open = 0;
  return {
    checks,
    get isComplete() {
      return open === 0;
    },
    add: check => void checks.push(check),
    step(names, endpoints = everywhere) {
      let finished = false;
      open++;
      const check = (): void => {
        if (!finished) throw new Error('not finished');
      };
      checks.push(...names.map(name => ({ name, endpoints, check })));
      return () => {
        if (!finished) open--;
        finished = true;
      };
    },
  };
}
