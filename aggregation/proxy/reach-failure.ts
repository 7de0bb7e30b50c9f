/** Why another server could not be reached, in the words of Go's net package, which users of Karmada read and search for. */
import { plainError, type StatusError } from '../../openapi/meta/status.js';

interface SystemError extends Error {
  readonly code?: string;
  readonly address?: string;
  readonly port?: number;
  readonly hostname?: string;
  readonly errors?: readonly SystemError[];
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
};

/** The failure at the bottom. Several addresses may have been tried: the first one counts. */
function rootOf(error: SystemError): SystemError {
  if (error.errors?.[0]) return error.errors[0];
  return error.cause instanceof Error ? error.cause : error;
}

function textOf(error: SystemError, origin: string): string {
  const cause = rootOf(error);
  const code = cause.code ?? '';
  const { host } = new URL(origin);
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return `dial tcp: lookup ${cause.hostname ?? host}: no such host`;
  const dial = dialTexts[code];
  if (dial !== undefined) {
    const { address, port } = cause;
    return `dial tcp ${address === undefined ? host : `${address.includes(':') ? `[${address}]` : address}:${port}`}: ${dial}`;
  }
  return certificateTexts[code] ?? brokenTexts[code] ?? error.message;
}

/** 500 without a reason, as karmada's proxy hands on the error of its transport. */
export function reachFailure(error: Error, origin: string): StatusError {
  return plainError(textOf(error, origin));
}

/** The connection was there and went away before an answer began: another one may do. */
export function isBroken(error: Error): boolean {
  const { code } = error as SystemError;
  return code !== undefined && code in brokenTexts;
}
