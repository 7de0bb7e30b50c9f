/** Authenticates users with bootstrap tokens, which are Secrets of kube-system. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { KubeObject } from '../../apimachinery/interface.js';
import { isNotFound } from '../../apimachinery/errors/status.js';
import type { Identity } from '../../apimachinery/identity.js';
import {
  bootstrapGroupPattern,
  bootstrapTokenName,
  bootstrapTokenNamespace,
  bootstrapTokenPattern,
  bootstrapTokenType,
  millisecondsLeft,
  readBootstrapToken,
} from '../../kinds/kubernetes/bootstrap/bootstrap-token.js';
import type { TokenAuthenticator } from '../interface.js';
import type { Lookup } from './service-account/lookups.js';

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Returns the user of a token; undefined when the Secret is not valid for the token. */
// as plugin/pkg/auth/authenticator/token/bootstrap/bootstrap.go
function identityOf(secret: KubeObject, id: string, tokenSecret: string, now: Date): Identity | undefined {
  const token = readBootstrapToken(secret);
  const fits =
    secret.metadata.deletionTimestamp === undefined &&
    secret['type'] === bootstrapTokenType &&
    timingSafeEqual(digest(token.secret), digest(tokenSecret)) &&
    token.id === id &&
    millisecondsLeft(token, now.getTime()) !== 0 &&
    token.usages.includes('authentication') &&
    token.groups.every(group => bootstrapGroupPattern.test(group));
  if (!fits) return undefined;
  return { name: `system:bootstrap:${id}`, groups: [...new Set(['system:bootstrappers', ...token.groups])].sort() };
}

/** Returns the authenticator. A token that has expired, or whose Secret does not exist, is one of another kind for it, as upstream. */
export function bootstrapTokens(secret: Lookup, now: () => Date): TokenAuthenticator {
  return async token => {
    const [, id = '', tokenSecret = ''] = bootstrapTokenPattern.exec(token) ?? [];
    if (id === '') return undefined;
    try {
      const found = await secret(bootstrapTokenNamespace, bootstrapTokenName(id));
      const identity = identityOf(found, id, tokenSecret, now());
      return identity && { identity };
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  };
}
