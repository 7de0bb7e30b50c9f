/** Authenticates users with bootstrap tokens, which are Secrets of kube-system. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { KubeObject } from '../../apimachinery/interface.js';
import { isNotFound } from '../../apimachinery/errors/status.js';
import type { Identity } from '../../apimachinery/identity.js';
import type { TokenAuthenticator } from '../interface.js';
import type { Lookup } from './service-account/lookups.js';

const tokenPattern = /^([a-z0-9]{6})\.([a-z0-9]{16})$/;
const groupPattern = /^system:bootstrappers:[a-z0-9:-]{0,255}[a-z0-9]$/;
const secretType = 'bootstrap.kubernetes.io/token';

/** Returns a function that reads values of a Secret as text. */
const dataOf = (secret: KubeObject): ((key: string) => string) => {
  const data = (secret['data'] ?? {}) as Record<string, string>;
  return key => Buffer.from(data[key] ?? '', 'base64').toString('utf8');
};

/** Returns whether a token has expired; one with an invalid expiration has. */
function hasExpired(expiration: string, now: Date): boolean {
  if (expiration === '') return false;
  const time = Date.parse(expiration);
  return Number.isNaN(time) || time <= now.getTime();
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Returns the user of a token; undefined when the Secret is not valid for the token. */
// as plugin/pkg/auth/authenticator/token/bootstrap/bootstrap.go
function identityOf(secret: KubeObject, id: string, tokenSecret: string, now: Date): Identity | undefined {
  const get = dataOf(secret);
  const fits =
    secret.metadata.deletionTimestamp === undefined &&
    secret['type'] === secretType &&
    timingSafeEqual(digest(get('token-secret')), digest(tokenSecret)) &&
    get('token-id') === id &&
    !hasExpired(get('expiration'), now) &&
    get('usage-bootstrap-authentication') === 'true';
  if (!fits) return undefined;
  const extra = get('auth-extra-groups');
  const groups = extra === '' ? [] : extra.split(',');
  if (!groups.every(group => groupPattern.test(group))) return undefined;
  return { name: `system:bootstrap:${id}`, groups: [...new Set(['system:bootstrappers', ...groups])].sort() };
}

export function bootstrapTokens(secret: Lookup, now: () => Date): TokenAuthenticator {
  return async token => {
    const [, id = '', tokenSecret = ''] = tokenPattern.exec(token) ?? [];
    if (id === '') return undefined;
    try {
      const found = await secret('kube-system', `bootstrap-token-${id}`);
      const identity = identityOf(found, id, tokenSecret, now());
      return identity && { identity };
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  };
}
