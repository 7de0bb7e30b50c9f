/** What /healthz, /livez and /readyz look at (HTTP-010). */
import type { Backend } from '../../storage/interface.js';
import type { HealthCheck } from '../interface.js';

const everywhere: HealthCheck['endpoints'] = ['healthz', 'livez', 'readyz'];

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
