/** Renews the Lease that shows that a server runs, and deletes Leases of servers that do not. */
import { createHash, randomUUID } from 'node:crypto';
import type { KubeObject } from '../../apimachinery/interface.js';
import { checkLabelValue } from '../../apimachinery/meta/names.js';
import { isAlreadyExists, isConflict, isNotFound } from '../../apimachinery/errors/status.js';
import { formatMicroTime, readMicroTime } from '../../lib/go/time.js';
import { found } from '../../client/found.js';
import type { Client, DeleteOptions } from '../../client/interface.js';
import type { Lease } from '../../api/kubernetes/coordination.js';
import { leases } from '../../api/kubernetes/resources.js';

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

export interface IdentityLease {
  /** Takes over the Lease from any holder, and renews it until the signal aborts. Does not reject. */
  claim(): Promise<void>;
  /** Deletes the Lease, and stops renewing it. */
  retire(): Promise<void>;
}

/** Creates the Lease of a server. `hostname` is the machine's. */
export function identityLease(options: IdentityOptions): IdentityLease {
  const { client, hostname, now, every, signal, onError } = options;
  const name = identityOf(hostname);
  const key = { namespace, name };
  const holderIdentity = `${name}_${randomUUID()}`;
  let latest: KubeObject | undefined;
  let collected = Number.NEGATIVE_INFINITY;
  let retired = false;
  let working: Promise<void> | undefined;

  /** Builds the Lease. Other fields are kept: another server of this host may use the Lease as well. */
  function draft(base: KubeObject | undefined, taken: boolean): KubeObject {
    const labels = {
      ...base?.metadata.labels,
      [identityLabel]: component,
      // differs: for an invalid label value the Lease has no hostname label; upstream has no Lease then
      ...(checkLabelValue(hostname).length === 0 && { 'kubernetes.io/hostname': hostname }),
    };
    const { spec } = (base ?? {}) as Lease;
    const times = { leaseDurationSeconds: durationSeconds, renewTime: formatMicroTime(now()) };
    return {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { ...base?.metadata, ...key, labels },
      spec: { ...spec, ...((taken || !base) && { holderIdentity }), ...times },
    };
  }

  async function renew(taken: boolean): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        const wanted = draft(latest, taken);
        latest = latest ? await client.update(leases, wanted) : await client.create(leases, wanted);
        return;
      } catch (error) {
        const overtaken = isAlreadyExists(error) || isConflict(error) || isNotFound(error);
        if (attempt === attempts || !overtaken) throw error;
        latest = await found(client.get(leases, key));
      }
    }
  }

  async function work(taken: boolean): Promise<void> {
    try {
      await renew(taken);
      if (now().getTime() - collected < durationSeconds * 1000) return;
      collected = now().getTime();
      await collectExpired(client, now);
    } catch (error) {
      if (!signal.aborted) onError(error);
    }
  }

  async function once(taken = false): Promise<void> {
    if (retired || working) return;
    working = work(taken);
    await working;
    working = undefined;
  }

  return {
    async claim() {
      await once(true);
      if (signal.aborted) return;
      const timer = setInterval(() => void once(), every).unref();
      signal.addEventListener('abort', () => clearInterval(timer), { once: true });
    },
    async retire() {
      retired = true;
      await working;
      const { uid } = latest?.metadata ?? {};
      if (uid !== undefined) await deleteSeen(client, name, { uid });
    },
  };
}
