/** Decides when a certificate has to be replaced. */
import { formatIp, parseIp } from '../../apimachinery/net/ip.js';
import { X509Certificate } from 'node:crypto';
import net from 'node:net';

/** Returns the time from which a certificate should be replaced: after four fifths of its life. */
export function renewalTime(certificate: X509Certificate): Date {
  const from = Date.parse(certificate.validFrom);
  return new Date(from + (Date.parse(certificate.validTo) - from) * 0.8);
}

interface Wanted {
  readonly authority: X509Certificate;
  readonly now: Date;
  readonly hosts?: readonly string[];
}

function canonical(host: string): string {
  const address = parseIp(host);
  return address ? formatIp(address) : host;
}

/** Returns why a certificate has to be replaced; undefined when it need not be. */
export function staleness(pem: string, wanted: Wanted): string | undefined {
  const certificate = new X509Certificate(pem);
  if (!certificate.checkIssued(wanted.authority) || !certificate.verify(wanted.authority.publicKey))
    return 'issued by another authority';
  if (wanted.now >= renewalTime(certificate)) return 'close to its end';
  const missing = (wanted.hosts ?? []).find(host =>
    net.isIP(host) === 0
      ? certificate.checkHost(host, { subject: 'never' }) === undefined
      : certificate.checkIP(canonical(host)) === undefined,
  );
  return missing === undefined ? undefined : `not valid for ${missing}`;
}
