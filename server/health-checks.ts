/** What /healthz, /livez and /readyz look at. */
import { X509Certificate } from 'node:crypto';
import { StorageError } from '../storage/error.js';
import type { Backend } from '../storage/interface.js';
import type { HealthCheck } from '../apiserver/interface.js';

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
  /** Steps of the start: the check of each fails until its name is finished. */
  begin(names: readonly string[]): void;
  finish(name: string): void;
  /** Steps that are not finished. */
  readonly unfinished: readonly string[];
  /** All steps of the start are done. */
  readonly isComplete: boolean;
}

const isUnwritable = (error: unknown): boolean => error instanceof StorageError && error.code === 'unwritable';

/** Fails while the disk of the data directory takes no writes. For servers whose store has a disk. */
export function dataDirectoryCheck(backend: Backend): HealthCheck {
  const check = (): Promise<void> =>
    backend.health().catch((error: unknown) => {
      if (isUnwritable(error)) throw error; // the checks of the store tell of the rest
    });
  return { name: 'data-directory', endpoints: ['readyz'], check };
}

export function healthChecks(backend: Backend, stopping: AbortSignal): HealthChecks {
  const store = (): Promise<void> => backend.health();
  // Reads and watches need no disk, and a restart would end them.
  const readable = (): Promise<void> =>
    store().catch((error: unknown) => {
      if (!isUnwritable(error)) throw error;
    });
  const checks: HealthCheck[] = [
    { name: 'ping', endpoints: everywhere, check: () => undefined },
    { name: 'log', endpoints: everywhere, check: () => undefined },
    { name: 'etcd', endpoints: everywhere, check: readable },
    { name: 'etcd-readiness', endpoints: ['readyz'], check: store },
    {
      name: 'shutdown',
      endpoints: ['readyz'],
      check: () => {
        if (stopping.aborted) throw new Error('process is shutting down');
      },
    },
  ];
  const open = new Set<string>();
  return {
    checks,
    get isComplete() {
      return open.size === 0;
    },
    get unfinished() {
      return [...open];
    },
    add: check => void checks.push(check),
    begin(names) {
      for (const name of names) {
        open.add(name);
        // as apiserver/pkg/server/hooks.go errHookNotFinished
        const check = (): void => {
          if (open.has(name)) throw new Error('not finished');
        };
        checks.push({ name, endpoints: everywhere, check });
      }
    },
    finish: name => void open.delete(name),
  };
}

export interface InformerSync {
  readonly check: HealthCheck;
  /** Of a kind of objects (`*v1.Role`): they are followed, once the promise resolves. */
  watch(kind: string, synced: Promise<unknown>): Promise<void>;
}

/** Says which objects that the server goes by were not read in yet. as apiserver/pkg/server/healthz informerSync */
export function informerSync(): InformerSync {
  const waiting = new Set<string>();
  const check = (): void => {
    const names = [...waiting].sort();
    if (names.length > 0) throw new Error(`${names.length} informers not started yet: [${names.join(' ')}]`);
  };
  return {
    check: { name: 'informer-sync', endpoints: ['readyz'], check },
    async watch(kind, synced) {
      waiting.add(kind);
      await synced;
      waiting.delete(kind);
    },
  };
}
