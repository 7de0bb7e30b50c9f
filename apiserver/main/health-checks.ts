/** What /healthz, /livez and /readyz look at (HTTP-010). */
import type { Backend } from '../../storage/interface.js';
import type { HealthCheck } from '../interface.js';

const everywhere: HealthCheck['endpoints'] = ['healthz', 'livez', 'readyz'];

export interface HealthChecks {
  readonly checks: readonly HealthCheck[];
  add(check: HealthCheck): void;
  /** A step of the start: its check fails until the returned function is called. */
  step(name: string): () => void;
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
    step(name) {
      let finished = false;
      open++;
      checks.push({
        name: `poststarthook/${name}`,
        endpoints: everywhere,
        check: () => {
          if (!finished) throw new Error('not finished');
        },
      });
      return () => {
        if (!finished) open--;
        finished = true;
      };
    },
  };
}
