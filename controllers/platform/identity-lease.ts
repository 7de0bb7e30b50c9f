/** Renews the Lease that shows that a server runs, and deletes Leases of servers that do not. */
import { createHash, randomUUID } from 'node:crypto';
import type { KubeObject } from '../../apimachinery/interface.js';
import { checkLabelValue } from '../../apimachinery/meta/names.js';
import { isAlreadyExists, isConflict, isNotFound } from '../../apimachinery/errors/status.js';
import { formatMicroTime, readMicroTime } from '../../lib/go/time.js';
import { find } from '../../client/find.js';
import type { Client, DeleteOptions } from '../../client/interface.js';
import type { Lease } from '../../api/kubernetes/coordination.js';
import { leases } from '../../api/kubernetes/resources.js';
import { hostnameLabel } from '../../api/kubernetes/well-known.js';

const namespace = 'kube-system';
const component = 'kube-apiserver';
const identityLabel = 'apiserver.kubernetes.io/identity';
const durationSeconds = 3600;
const attempts = 5;

const alphabet = 'abcdefghijklmnopqrstuvwxyz234567';

/** Returns RFC 4648 base32, in lower case and without padding. */
function base32(bytes: Buffer): string {
  const bits = [...bytes].map(byte => byte.toString(2).padStart(8, '0')).join('');
  return (bits.match(/.{1,5}/g) ?? []).map(five => alphabet[parseInt(five.padEnd(5, '0'), 2)]).join('');
}

/** Returns the name of the Lease of the server of a host: `apiserver-` and 26 characters. */
// as apiserver/pkg/server/config.go NewConfig: Flagship and kube-apiserver on one host share a Lease
export function identityOf(hostname: string): string {
  const parts = [hostname, component].map(text => {
    const bytes = Buffer.from(text);
    const length = Buffer.alloc(2);
    length.writeUInt16BE(bytes.length);
    return Buffer.concat([length, bytes]);
  });
  return `apiserver-${base32(createHash('sha256').update(Buffer.concat(parts)).digest().subarray(0, 16))}`;
}

// as pkg/controlplane/controller/apiserverleasegc isLeaseExpired
function isExpired({ spec }: Lease, now: Date): boolean {
  const read = readMicroTime(spec?.renewTime ?? '');
  if ('error' in read || spec?.leaseDurationSeconds === undefined) return true;
  return read.ms + spec.leaseDurationSeconds * 1000 < now.getTime();
}

/** Deletes Leases of servers that were not renewed in time. */
async function collectExpired(client: Client, now: () => Date): Promise<void> {
  const { items } = await client.list(leases, { namespace, labelSelector: `${identityLabel}=${component}` });
  for (const { metadata } of items.filter(item => isExpired(item as Lease, now()))) {
    const { uid, resourceVersion } = metadata;
    const seen = { ...(uid && { uid }), ...(resourceVersion && { resourceVersion }) };
    await deleteSeen(client, metadata.name ?? '', seen);
  }
}

/** Deletes a Lease unless it was changed or deleted since it was read. */
async function deleteSeen(
  client: Client,
  name: string,
  seen: NonNullable<DeleteOptions['preconditions']>,
): Promise<void> {
  try {
    await client.delete(leases, { namespace, name }, { preconditions: seen });
  } catch (error) {
    if (!isNotFound(error) && !isConflict(error)) throw error;
  }
}

export interface IdentityOptions {
  readonly client: Client;
  readonly hostname: string;
  readonly now: () => Date;
  /** Milliseconds between two renewals; expired Leases are looked for once in `durationSeconds`. */
  readonly every: number;
  readonly signal: AbortSignal;
  /** Called with the error of a write; the next renewal tries again. */
  readonly onError: (error: unknown) => void;
}

/** The Lease of a server. */
export class IdentityLease {
  readonly #options: IdentityOptions;
  readonly #key: { readonly namespace: string; readonly name: string };
  readonly #holderIdentity: string;
  /** The Lease as it was last read or written. */
  #latest: KubeObject | undefined;
  /** Time of the last search for expired Leases in milliseconds since the epoch. */
  #collected = Number.NEGATIVE_INFINITY;
  #isRetired = false;
  /** The renewal that is under way. */
  #renewing: Promise<void> | undefined;

  constructor(options: IdentityOptions) {
    const name = identityOf(options.hostname);
    this.#options = options;
    this.#key = { namespace, name };
    this.#holderIdentity = `${name}_${randomUUID()}`;
  }

  /** Takes over the Lease from any holder, and renews it until the signal aborts. Does not reject. */
  async claim(): Promise<void> {
    const { every, signal } = this.#options;
    await this.#once(true);
    if (signal.aborted) return;
    const timer = setInterval(() => void this.#once(false), every).unref();
    signal.addEventListener('abort', () => clearInterval(timer), { once: true });
  }

  /** Deletes the Lease, and stops renewing it. */
  async retire(): Promise<void> {
    this.#isRetired = true;
    await this.#renewing;
    const { uid } = this.#latest?.metadata ?? {};
    if (uid !== undefined) await deleteSeen(this.#options.client, this.#key.name, { uid });
  }

  async #once(taken: boolean): Promise<void> {
    if (this.#isRetired || this.#renewing) return;
    this.#renewing = this.#renewAndCollect(taken);
    await this.#renewing;
    this.#renewing = undefined;
  }

  async #renewAndCollect(taken: boolean): Promise<void> {
    const { client, now, signal, onError } = this.#options;
    try {
      await this.#renew(taken);
      if (now().getTime() - this.#collected < durationSeconds * 1000) return;
      this.#collected = now().getTime();
      await collectExpired(client, now);
    } catch (error) {
      if (!signal.aborted) onError(error);
    }
  }

  async #renew(taken: boolean): Promise<void> {
    const { client } = this.#options;
    for (let attempt = 1; ; attempt++) {
      try {
        const wanted = this.#draft(taken);
        this.#latest = this.#latest ? await client.update(leases, wanted) : await client.create(leases, wanted);
        return;
      } catch (error) {
        const overtaken = isAlreadyExists(error) || isConflict(error) || isNotFound(error);
        if (attempt === attempts || !overtaken) throw error;
        this.#latest = await find(client, leases, this.#key);
      }
    }
  }

  /** Builds the Lease. Other fields are kept: another server of this host may use the Lease as well. */
  #draft(taken: boolean): KubeObject {
    const { hostname, now } = this.#options;
    const base = this.#latest;
    const labels = {
      ...base?.metadata.labels,
      [identityLabel]: component,
      // differs: for an invalid label value the Lease has no hostname label; upstream has no Lease then
      ...(checkLabelValue(hostname).length === 0 && { [hostnameLabel]: hostname }),
    };
    const { spec } = (base ?? {}) as Lease;
    const holder = (taken || !base) && { holderIdentity: this.#holderIdentity };
    const times = { leaseDurationSeconds: durationSeconds, renewTime: formatMicroTime(now()) };
    return {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { ...base?.metadata, ...this.#key, labels },
      spec: { ...spec, ...holder, ...times },
    };
  }
}
