import { toBase64 } from '../../apimachinery/codec/base64.js';
import { StatusError } from '../../apimachinery/errors/status.js';
import { errorText } from '../../apimachinery/errors/error-text.js';
import { createRequest } from '../../apimachinery/x509/create-request.js';
import { createKey, privatePem } from '../../apimachinery/x509/keys.js';
import type { CertificateSigningRequest } from '../../api/kubernetes/certificates.js';
import { certificateSigningRequests } from '../../api/kubernetes/resources.js';
import { systemClock } from '../../lib/clock.js';
import type { Client } from '../interface.js';

interface CertificateOrder {
  /** The beginning of the CertificateSigningRequest's name; the server adds the rest. */
  readonly namePrefix: string;
  readonly commonName: string;
  readonly organizations: readonly string[];
  readonly signerName: string;
  readonly usages: readonly string[];
  /** At least 600. Absent: the signer decides. */
  readonly expirationSeconds?: number;
  readonly timeoutMilliseconds: number;
  readonly signal: AbortSignal;
}

interface IssuedCertificate {
  readonly certificatePem: string;
  readonly keyPem: string;
  /** The name of the CertificateSigningRequest. */
  readonly requestName: string;
}

const firstPauseMs = 50;
const maxPauseMs = 1000;

/** Returns the certificate, or why there is none yet. Throws if the request was denied or has failed. */
function outcomeOf({ metadata, status }: CertificateSigningRequest): {
  readonly pem?: string;
  readonly pending: string;
} {
  if (status?.certificate) return { pem: Buffer.from(status.certificate, 'base64').toString('utf8'), pending: '' };
  const conditions = status?.conditions ?? [];
  const end = conditions.find(({ type }) => type === 'Denied' || type === 'Failed');
  if (end !== undefined) {
    const why = [end.reason, end.message].filter(Boolean).join(': ');
    const verb = end.type === 'Denied' ? 'was denied' : 'has failed';
    throw new Error(`the certificate signing request ${metadata.name} ${verb}${why === '' ? '' : `: ${why}`}`);
  }
  if (conditions.some(({ type }) => type === 'Approved'))
    return { pending: 'it is approved, but no signer has signed it' };
  return { pending: `it is not approved; "kubectl certificate approve ${metadata.name}" approves it` };
}

/** Reads the request. Resolves with the error if a later read may succeed. */
async function readPassing(
  client: Client,
  name: string,
): Promise<CertificateSigningRequest | { readonly error: unknown }> {
  try {
    return await client.get(certificateSigningRequests, { name });
  } catch (error) {
    if (error instanceof StatusError && error.code < 500 && error.code !== 429) throw error;
    return { error };
  }
}

/** Resolves with the certificate in PEM. It reads instead of watching: the roles that Karmada gives to agents do not include watch. */
async function issued(client: Client, name: string, order: CertificateOrder): Promise<string> {
  const { timeoutMilliseconds, signal } = order;
  const deadline = Date.now() + timeoutMilliseconds;
  for (let waitMs = firstPauseMs; ; waitMs = Math.min(waitMs * 2, maxPauseMs)) {
    signal.throwIfAborted();
    const read = await readPassing(client, name);
    const { pem, pending } = 'error' in read ? { pem: undefined, pending: errorText(read.error) } : outcomeOf(read);
    if (pem !== undefined) return pem;
    const left = deadline - Date.now();
    if (left <= 0) throw new Error(`timed out waiting for the certificate signing request ${name}: ${pending}`);
    await systemClock.sleep(Math.min(waitMs, left), signal);
  }
}

/**
 * Creates a key and a CertificateSigningRequest for it, and resolves with the certificate when it is issued. Rejects if the request is refused,
 * denied or fails, if it is not signed in time, and if the signal aborts.
 */
export async function requestCertificate(client: Client, order: CertificateOrder): Promise<IssuedCertificate> {
  // differs: Karmada's keys are RSA of 3072 bits.
  const key = await createKey();
  const request = createRequest({ name: order.commonName, groups: order.organizations }, key);
  const csr: CertificateSigningRequest = {
    apiVersion: 'certificates.k8s.io/v1',
    kind: 'CertificateSigningRequest',
    metadata: { generateName: order.namePrefix },
    spec: {
      request: toBase64(request),
      signerName: order.signerName,
      usages: [...order.usages],
      ...(order.expirationSeconds !== undefined && { expirationSeconds: order.expirationSeconds }),
    },
  };
  const created = await client.create(certificateSigningRequests, csr);
  const requestName = created.metadata.name ?? '';
  return { certificatePem: await issued(client, requestName, order), keyPem: privatePem(key), requestName };
}
