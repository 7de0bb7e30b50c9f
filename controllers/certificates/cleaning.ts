import { X509Certificate } from 'node:crypto';
import type { CertificateSigningRequest } from '../../api/kubernetes/certificates.js';
import { certificateSigningRequests } from '../../api/kubernetes/resources.js';
import { keyOf } from '../../client/key.js';
import type { ControllerContext } from '../../client/runtime/interface.js';
import { deleteUnchanged } from '../../client/runtime/update.js';

const hourMs = 3600_000;
/** How long requests are kept after a decision. */
const decidedMs = hourMs;
/** How long requests are kept that wait for a decision, or for the signer. */
const pendingMs = 24 * hourMs;

/** Returns when the certificate ends; undefined if it cannot be read. */
function endOfCertificate(base64: string): number | undefined {
  try {
    return Date.parse(new X509Certificate(Buffer.from(base64, 'base64')).validTo);
  } catch {
    return undefined;
  }
}

/**
 * Returns from when a request is deleted, in milliseconds since the epoch; undefined if no rule is for it.
 * as pkg/controller/certificates/cleaner CSRCleanerController
 */
export function cleaningTime({ metadata, status }: CertificateSigningRequest): number | undefined {
  const conditions = status?.conditions ?? [];
  const times = conditions.flatMap(({ type, lastUpdateTime }) => {
    const isIssued = type === 'Approved' && status?.certificate;
    const end = isIssued ? endOfCertificate(status.certificate ?? '') : undefined;
    const kept = type === 'Approved' && !isIssued ? pendingMs : decidedMs;
    const isKnown = ['Approved', 'Denied', 'Failed'].includes(type ?? '');
    return [
      ...(isKnown && lastUpdateTime ? [Date.parse(lastUpdateTime) + kept] : []),
      ...(end === undefined ? [] : [end]),
    ];
  });
  if (conditions.length === 0 && metadata.creationTimestamp)
    times.push(Date.parse(metadata.creationTimestamp) + pendingMs);
  return times.length === 0 ? undefined : Math.min(...times);
}

/** Deletes old requests. differs: kube-controller-manager looks once per hour. */
export function startCleaning(context: ControllerContext): void {
  const { client, clock } = context;
  const requests = context.informers.informer<CertificateSigningRequest>(certificateSigningRequests);
  context.run({
    name: 'certificatesigningrequest-cleaner-controller',
    synced: [requests.synced],
    wire: queue => requests.onChange(({ new: csr }) => csr && queue.add(keyOf(csr))),
    reconcile: async key => {
      const csr = requests.get(key);
      const at = csr && cleaningTime(csr);
      if (!csr || at === undefined) return undefined;
      const left = at - clock.now();
      if (left >= 0) return { againAfter: left + 1 };
      await deleteUnchanged(client, certificateSigningRequests, csr);
      return undefined;
    },
  });
}
