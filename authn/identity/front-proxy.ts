/** Authenticates users that a trusted proxy has authenticated and forwards in headers. */
import type { Identity } from '../../apimachinery/identity.js';
import type { Authenticator, Headers } from '../interface.js';
import { certificateVerifier, unauthorizedBecause, type CertificateDeps } from './client-certificate.js';
import { extraOf } from './extra.js';
import { headerValue, headerValues } from './headers.js';

/** Names of the headers, in lower case. */
interface FrontProxyHeaders {
  readonly username: readonly string[];
  readonly uid: readonly string[];
  readonly group: readonly string[];
  readonly extraPrefix: readonly string[];
}

const defaultFrontProxyHeaders: FrontProxyHeaders = {
  username: ['x-remote-user'],
  uid: ['x-remote-uid'],
  group: ['x-remote-group'],
  extraPrefix: ['x-remote-extra-'],
};

/** `authorities` are those of proxies, not of users. */
interface FrontProxyDeps extends CertificateDeps {
  /** Common names that proxies may have; empty: any. */
  readonly allowedNames: readonly string[];
  readonly names?: FrontProxyHeaders;
}

const first = (headers: Headers, names: readonly string[]): string =>
  names.map(name => headerValue(headers, name).trim()).find(value => value !== '') ?? '';

/** Returns whether the request has a user header. hot: most requests have none, so the certificate check of the proxy is skipped. */
export const hasUserHeader = (headers: Headers, { username }: FrontProxyHeaders = defaultFrontProxyHeaders): boolean =>
  username.some(name => headers[name] !== undefined);

/**
 * Returns an authenticator of requests that a front proxy passes on with its client certificate: the user is in their headers.
 * as staging/src/k8s.io/apiserver/pkg/authentication/request/headerrequest
 */
export function frontProxy(deps: FrontProxyDeps): Authenticator {
  const verify = certificateVerifier(deps);
  const names = deps.names ?? defaultFrontProxyHeaders;
  return ({ headers, certificate }) => {
    const verified = certificate && verify(certificate);
    if (verified === undefined) return undefined;
    const { name: proxy } = verified.subject;
    if (deps.allowedNames.length > 0 && !deps.allowedNames.includes(proxy))
      throw unauthorizedBecause(new Error(`x509: subject with cn=${proxy} is not in the allowed list`));
    const name = first(headers, names.username);
    if (name === '') return undefined;
    const uid = first(headers, names.uid);
    const extra = Object.assign({}, ...names.extraPrefix.map(prefix => extraOf(headers, prefix))) as NonNullable<
      Identity['extra']
    >;
    return {
      name,
      ...(uid !== '' && { uid }),
      groups: names.group.flatMap(group => headerValues(headers, group)),
      extra,
    };
  };
}
