import { buildCertificate, type Issuer } from '../../apimachinery/x509/certificate.js';
import type { CertificateSigningRequest } from '../../api/kubernetes/certificates.js';
import { certificateSigningRequests } from '../../api/kubernetes/resources.js';
import { formatTime } from '../../lib/go/time.js';
import { keyOf } from '../../client/key.js';
import type { ControllerContext } from '../../client/runtime/interface.js';
import { updateObject } from '../../client/runtime/update.js';
import { hasCondition, requestOf } from './request-of.js';
import { signerChecks } from './signers.js';

/** An authority that signs requests. */
export interface SigningAuthority {
  readonly issuer: Issuer;
  /** No certificate outlives the authority. */
  readonly notAfter: Date;
}

export interface SigningOptions {
  /** The authorities by the names of signers. A signer without one does not sign. */
  readonly authorities: ReadonlyMap<string, SigningAuthority>;
  /** The validity of a certificate, in milliseconds; a request may ask for less. */
  readonly validityMs: number;
}

const minValidityMs = 600_000;
/** A certificate is valid some time before it is signed, since clocks differ. */
const backdateMs = 300_000;
/** Shorter certificates are not shortened by the time for which they are backdated. */
const shortMs = 8 * 3600_000;

/** Returns when a certificate begins and ends. as pkg/controller/certificates/authority PermissiveSigningPolicy */
export function validityOf(
  expirationSeconds: number | undefined,
  { maxMs, now, notAfter }: { readonly maxMs: number; readonly now: number; readonly notAfter: Date },
): { readonly notBefore: Date; readonly notAfter: Date } {
  const wantedMs = expirationSeconds === undefined ? maxMs : Math.max(expirationSeconds * 1000, minValidityMs);
  const ms = Math.min(wantedMs, maxMs);
  const end = now + (ms < shortMs ? ms : ms - backdateMs);
  return { notBefore: new Date(now - backdateMs), notAfter: new Date(Math.min(end, notAfter.getTime())) };
}

/** Signs the approved requests of Kubernetes' signers. as pkg/controller/certificates/signer CSRSigningController */
export function startSigning(context: ControllerContext, { authorities, validityMs }: SigningOptions): void {
  const { client, clock } = context;
  const requests = context.informers.informer<CertificateSigningRequest>(certificateSigningRequests);

  const isSignable = (csr: CertificateSigningRequest): boolean =>
    hasCondition(csr, 'Approved') &&
    !hasCondition(csr, 'Denied') &&
    !hasCondition(csr, 'Failed') &&
    !csr.status?.certificate &&
    authorities.has(csr.spec?.signerName ?? '');

  function sign(csr: CertificateSigningRequest, authority: SigningAuthority): Partial<StatusChange> {
    const request = requestOf(csr);
    const usages = csr.spec?.usages ?? [];
    const fault = signerChecks.get(csr.spec?.signerName ?? '')?.(request, usages);
    if (fault !== undefined) return { fault };
    const now = clock.now();
    if (now >= authority.notAfter.getTime()) throw new Error('the authority of the signer has expired');
    const period = { maxMs: validityMs, now, notAfter: authority.notAfter };
    const certificate = buildCertificate(
      {
        subject: request.name,
        publicKey: request.publicKey,
        authority: false,
        usages,
        alternativeNames: request.alternativeNames,
        ...validityOf(csr.spec?.expirationSeconds, period),
      },
      authority.issuer,
    );
    return { certificate: Buffer.from(certificate).toString('base64') };
  }

  context.run({
    name: 'certificatesigningrequest-signing-controller',
    synced: [requests.synced],
    wire: queue => requests.onChange(({ new: csr }) => csr && isSignable(csr) && queue.add(keyOf(csr))),
    reconcile: async key => {
      const csr = requests.get(key);
      const authority = authorities.get(csr?.spec?.signerName ?? '');
      if (!csr || !authority || !isSignable(csr)) return;
      const { certificate, fault } = sign(csr, authority);
      await updateObject(
        client,
        certificateSigningRequests,
        csr,
        draft => {
          const status = (draft.status ??= {});
          if (certificate !== undefined && isSignable(draft)) status.certificate = certificate;
          if (fault === undefined || hasCondition(draft, 'Failed')) return;
          const lastUpdateTime = formatTime(new Date(clock.now()));
          const failed = { type: 'Failed', status: 'True', reason: 'SignerValidationFailure', message: fault };
          (status.conditions ??= []).push({ ...failed, lastUpdateTime });
        },
        { subresource: 'status' },
      );
    },
  });
}

interface StatusChange {
  /** Base64 of the PEM. */
  readonly certificate: string;
  /** Why the signer refuses the request. */
  readonly fault: string;
}
