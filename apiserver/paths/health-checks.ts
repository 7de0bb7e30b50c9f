/** The checks of /healthz, /livez and /readyz. */
import { X509Certificate } from 'node:crypto';
import type { HealthCheck } from '../interface.js';

const everywhere: HealthCheck['endpoints'] = ['healthz', 'livez', 'readyz'];

const expiryOf = (pem: string): number => Date.parse(new X509Certificate(pem).validTo);

/** A check that fails once the serving certificate (PEM) has expired, because it could not be renewed. A restart renews it. */
// as apiserver/pkg/server/options/serving_with_loopback.go
// differs: kube-apiserver has a separate certificate for its loopback client; here one certificate serves all
export class CertificateCheck implements HealthCheck {
  readonly name = 'loopback-serving-certificate';
  readonly endpoints = ['healthz', 'livez'] as const;
  readonly #now: () => number;
  #expiry: number;

  constructor(certificate: string, now: () => number = Date.now) {
    this.#now = now;
    this.#expiry = expiryOf(certificate);
  }

  /** Sets the certificate (PEM) that the check reads. */
  setCertificate(certificate: string): void {
    this.#expiry = expiryOf(certificate);
  }

  check(): void {
    if (this.#now() > this.#expiry) throw new Error('loopback serving certificate is expired');
  }
}

interface StoreChecks {
  /** Rejects when the store cannot be read. A store that takes no writes is live: a restart would end the watches. */
  readable(): Promise<void>;
  /** Rejects when the store cannot be read, or cannot be written. */
  writable(): Promise<void>;
}

/** The checks of a server, to which its parts add theirs, and the steps of its start. */
export class HealthChecks {
  readonly checks: HealthCheck[];
  readonly #unfinished = new Set<string>();

  constructor(store: StoreChecks, stopping: AbortSignal) {
    this.checks = [
      { name: 'ping', endpoints: everywhere, check: () => undefined },
      { name: 'log', endpoints: everywhere, check: () => undefined },
      { name: 'etcd', endpoints: everywhere, check: () => store.readable() },
      { name: 'etcd-readiness', endpoints: ['readyz'], check: () => store.writable() },
      {
        name: 'shutdown',
        endpoints: ['readyz'],
        check: () => {
          if (stopping.aborted) throw new Error('process is shutting down');
        },
      },
    ];
  }

  add(check: HealthCheck): void {
    this.checks.push(check);
  }

  /** Adds start steps; the check of each fails until its name is finished. */
  begin(names: readonly string[]): void {
    for (const name of names) {
      this.#unfinished.add(name);
      this.add({ name, endpoints: everywhere, check: () => this.#finished(name) });
    }
  }

  finish(name: string): void {
    this.#unfinished.delete(name);
  }

  /** The steps that are not finished. */
  get unfinished(): readonly string[] {
    return [...this.#unfinished];
  }

  /** True when all steps of the start are done. */
  get isComplete(): boolean {
    return this.#unfinished.size === 0;
  }

  // as apiserver/pkg/server/hooks.go errHookNotFinished
  #finished(name: string): void {
    if (this.#unfinished.has(name)) throw new Error('not finished');
  }
}

/** A check that names the kinds of objects that were not read yet. as apiserver/pkg/server/healthz informerSync */
export class InformerSync implements HealthCheck {
  readonly name = 'informer-sync';
  readonly endpoints = ['readyz'] as const;
  readonly #waiting = new Set<string>();

  check(): void {
    const names = [...this.#waiting].sort();
    if (names.length > 0) throw new Error(`${names.length} informers not started yet: [${names.join(' ')}]`);
  }

  /** Fails the check with this kind (`*v1.Role`) until `synced` resolves. */
  async watch(kind: string, synced: Promise<unknown>): Promise<void> {
    this.#waiting.add(kind);
    await synced;
    this.#waiting.delete(kind);
  }
}
