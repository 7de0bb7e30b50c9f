/** Texts for failures to reach another server, as Go's net package writes them, since users of Karmada know and search for them. */
import net from 'node:net';
import { plainError, type StatusError } from '../../apimachinery/errors/status.js';
import { ProxyUnreachable } from '../remote/transport/proxies/proxy-dialer.js';

interface SystemError extends Error {
  readonly code?: string;
  readonly address?: string;
  readonly port?: number;
  readonly hostname?: string;
  readonly errors?: readonly SystemError[];
  /** The requested host and the certificate of a name mismatch. */
  readonly host?: string;
  readonly cert?: { readonly subjectaltname?: string };
}

const untrusted = 'tls: failed to verify certificate: x509: certificate signed by unknown authority';

const certificateTexts: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: untrusted,
  SELF_SIGNED_CERT_IN_CHAIN: untrusted,
  UNABLE_TO_GET_ISSUER_CERT: untrusted,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted,
  CERT_HAS_EXPIRED: 'tls: failed to verify certificate: x509: certificate has expired or is not yet valid',
  CERT_NOT_YET_VALID: 'tls: failed to verify certificate: x509: certificate has expired or is not yet valid',
};

/** Returns the text of a name mismatch as crypto/x509 does. `subjectaltname` is like `DNS:a, IP Address:127.0.0.1`. */
function nameMismatchText({ host = '', cert }: SystemError): string {
  const names = (cert?.subjectaltname ?? '').split(', ').filter(name => name !== '');
  const [addresses, hosts] = [/^IP Address:/, /^DNS:/].map(form =>
    names.filter(name => form.test(name)).map(name => name.replace(form, '')),
  ) as [string[], string[]];
  const isAddress = net.isIP(host) !== 0;
  const valid = isAddress ? addresses : hosts;
  const head = 'tls: failed to verify certificate: x509:';
  if (valid.length > 0) return `${head} certificate is valid for ${valid.join(', ')}, not ${host}`;
  if (isAddress) return `${head} cannot validate certificate for ${host} because it doesn't contain any IP SANs`;
  return `${head} certificate is not valid for any names, but wanted to match ${host}`;
}

const dialTexts: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connect: connection refused',
  EHOSTUNREACH: 'connect: no route to host',
  ENETUNREACH: 'connect: network is unreachable',
  ETIMEDOUT: 'i/o timeout',
  UND_ERR_CONNECT_TIMEOUT: 'i/o timeout',
};

const brokenTexts: Readonly<Record<string, string>> = {
  ECONNRESET: 'read: connection reset by peer',
  EPIPE: 'write: broken pipe',
  UND_ERR_SOCKET: 'EOF',
  EPROTO: 'http: server gave HTTP response to HTTPS client',
  ERR_SSL_WRONG_VERSION_NUMBER: 'http: server gave HTTP response to HTTPS client',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'http: server gave HTTP response to HTTPS client',
};

/** Returns the root cause; the first one if several addresses were tried. */
function rootCause(error: SystemError): SystemError {
  if (error.errors?.[0]) return error.errors[0];
  return error.cause instanceof Error ? error.cause : error;
}

/** Returns Go's text for a failure, without the request. `origin` is the server's. */
export function reachFailureText(error: Error, origin: string): string {
  if (error instanceof ProxyUnreachable)
    return `proxyconnect tcp: ${reachFailureText(error.cause as Error, error.origin)}`;
  const cause = rootCause(error);
  const code = cause.code ?? '';
  const host = origin.replace(/^[a-z]+:\/\//, '');
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return `dial tcp: lookup ${cause.hostname ?? host}: no such host`;
  const dial = dialTexts[code];
  if (dial !== undefined) {
    const { address, port } = cause;
    return `dial tcp ${address === undefined ? host : `${address.includes(':') ? `[${address}]` : address}:${port}`}: ${dial}`;
  }
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return nameMismatchText(cause);
  return certificateTexts[code] ?? brokenTexts[code] ?? error.message;
}

/** Returns a 500 without reason, which is what Karmada's proxy returns for an error of its transport. */
export function reachFailure(error: Error, origin: string): StatusError {
  return plainError(reachFailureText(error, origin));
}

/** Reports whether an established connection broke before the answer, so that a retry on another one may succeed. */
export function isBroken(error: Error): boolean {
  const { code } = error as SystemError;
  return code !== undefined && code in brokenTexts;
}

/** Reports whether the connections were closed on this side, at the shutdown of the server. */
export const isClosedHere = (error: unknown): boolean =>
  (error as SystemError | undefined)?.code === 'UND_ERR_DESTROYED';
