/** Authenticates users with service account tokens, bound or legacy. */
import { LRUCache } from 'lru-cache';
import { quotedList } from '../../../lib/go/go-text.js';
import type { KubeObject } from '../../../apimachinery/interface.js';
import type { TokenAnswer, TokenAuthenticator } from '../../interface.js';
import { commonAudiences } from '../audiences.js';
import { boundIdentity } from './bound.js';
import { legacyIssuer } from './issue.js';
import { readToken, verifyToken, type TokenClaims } from './jwt.js';
import type { VerificationKey } from './keys.js';
import { legacyIdentity, usedLabel } from './legacy.js';
import type { Lookups } from './lookups.js';

export interface ServiceAccountDeps {
  /** The first one issues tokens; tokens of all of them are accepted. */
  readonly issuers: readonly string[];
  /** Returns the keys: the same array while they do not change. */
  readonly keys: () => readonly VerificationKey[];
  /** Audiences of this server. */
  readonly audiences: readonly string[];
  readonly lookups: Lookups;
  readonly now: () => Date;
  /** Called when a token kept in this Secret is used for the first time today. */
  readonly onLegacyUse?: (secret: KubeObject, day: string) => void;
}

/** Number of tokens whose signature was verified, the expensive part. Whether they are still valid is checked every time. */
const verifiedTokens = 10_000;

const audiencesOf = ({ aud }: TokenClaims): readonly string[] =>
  aud === undefined ? [] : typeof aud === 'string' ? [aud] : aud;

/**
 * Returns a function that returns the claims of a token signed with one of the keys; undefined for a token of another kind. Throws for an
 * invalid signature.
 */
function verifier(deps: ServiceAccountDeps): (token: string) => TokenClaims | undefined {
  const issuers = new Set([legacyIssuer, ...deps.issuers]);
  const verified = new LRUCache<string, TokenClaims>({ max: verifiedTokens });
  let keys = deps.keys();
  return token => {
    const current = deps.keys();
    if (current !== keys) {
      keys = current;
      verified.clear();
    }
    const known = verified.get(token);
    if (known !== undefined) return known;
    const read = readToken(token);
    if (read === undefined || !issuers.has(read.claims.iss ?? '')) return undefined;
    verifyToken(read, keys);
    verified.set(token, read.claims);
    return read.claims;
  };
}

// as pkg/serviceaccount/jwt.go AuthenticateToken
export function serviceAccountTokens(deps: ServiceAccountDeps): TokenAuthenticator {
  const verify = verifier(deps);
  const identify = async (token: string, claims: TokenClaims): Promise<TokenAnswer['identity']> => {
    if (claims.iss !== legacyIssuer) return boundIdentity(claims, deps.lookups, deps.now());
    const { identity, secret } = await legacyIdentity(token, claims, deps.lookups);
    const day = usedLabel(secret, deps.now());
    if (day !== undefined) deps.onLegacyUse?.(secret, day);
    return identity;
  };
  return async (token, asked) => {
    const claims = verify(token);
    if (claims === undefined) return undefined;
    const own = audiencesOf(claims);
    const given = own.length === 0 ? deps.audiences : own;
    const wanted = asked.length === 0 ? deps.audiences : asked;
    const audiences = commonAudiences(given, wanted);
    if (audiences.length === 0)
      throw new Error(`token audiences ${quotedList(given)} is invalid for the target audiences ${quotedList(wanted)}`);
    return { identity: await identify(token, claims), audiences };
  };
}
