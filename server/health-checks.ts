/** The checks of /healthz, /livez and /readyz. */
import { X509Certificate } from 'node:crypto';
import { StorageError } from '../storage/error.js';
import type { Backend } from '../storage/interface.js';
import type { HealthCheck } from '../apiserver/interface.js';

const everywhere: HealthCheck['endpoints'] = ['healthz', 'livez', 'readyz'];

interface CertificateCheck {
  readonly check: HealthCheck;
  /** Sets the certificate (PEM) that the check reads. */
  setCertificate(certificate: string): void;
}

/** Returns a check that fails once the serving certificate (PEM) has expired, because it could not be renewed. A restart renews it. */
// as apiserver/pkg/server/options/serving_with_loopback.go
// differs: kube-apiserver has a separate certificate for its loopback client; here one certificate serves all
export function certificateCheck(certificate: string, now: () => number = Date.now): CertificateCheck {
  const expiry = (pem: string): number => Date.parse(new X509Certificate(pem).validTo);
  let end = expiry(certificate);
  const check = (): void => {
    if (now() > end) throw new Error('loopback serving certificate is expired');
  };
  return {
    check: { name: 'loopback-serving-certificate', endpoints: ['healthz', 'livez'], check },
    setCertificate: pem => void (end = expiry(pem)),
  };
}

export interface HealthChecks {
  readonly checks: readonly HealthCheck[];
  add(check: HealthCheck): void;
  /** Adds start steps; the check of each fails until its name is finished. */
  begin(names: readonly string[]): void;
  finish(name: string): void;
  /** The steps that are not finished. */
  readonly unfinished: readonly string[];
  /** True when all steps of the start are done. */
  readonly isComplete: boolean;
}

const isUnwritable = (error: unknown): boolean => error instanceof StorageError && error.code === 'unwritable';

/** Returns a check that fails while the disk of the data directory takes no writes. For servers whose store has a disk. */
export function dataDirectoryCheck(backend: Backend): HealthCheck {
  const check = (): Promise<void> =>
    backend.health().catch((error: unknown) => {
      if (isUnwritable(error)) throw error; // other errors are reported by the checks of the store
    });
  return { name: 'data-directory', endpoints: ['readyz'], check };
}

export function healthChecks(backend: Backend, stopping: AbortSignal): HealthChecks {
  const store = (): Promise<void> => backend.health();
  // An unwritable store is live: reads and watches need no disk, and a restart would end them.
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
  const unfinished = new Set<string>();
  return {
    checks,
    get isComplete() {
      return unfinished.size === 0;
    },
    get unfinished() {
      return [...unfinished];
    },
    add: check => void checks.push(check),
    begin(names) {
      for (const name of names) {
        unfinished.add(name);
        // as apiserver/pkg/server/hooks.go errHookNotFinished
        const check = (): void => {
          if (unfinished.has(name)) throw new Error('not finished');
        };
        checks.push({ name, endpoints: everywhere, check });
      }
    },
    finish: name => void unfinished.delete(name),
  };
}

export interface InformerSync {
  readonly check: HealthCheck;
  /** Fails the check with this kind (`*v1.Role`) until `synced` resolves. */
  watch(kind: string, synced: Promise<unknown>): Promise<void>;
}

/** Creates a check that names the kinds of objects that were not read yet. as apiserver/pkg/server/healthz informerSync */
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
