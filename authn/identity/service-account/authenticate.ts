/** Authenticates users with service account tokens, bound or legacy. */
import { QueueFullError, type FairLimit } from '../../../lib/fair-limit.js';
import { quotedList } from '../../../lib/go/go-text.js';
import { andThen, type Maybe } from '../../../lib/maybe.js';
import type { Identity } from '../../../apimachinery/identity.js';
import type { KubeObject } from '../../../apimachinery/interface.js';
import type { TokenAnswer, TokenAuthenticator, TokenClient } from '../../interface.js';
import { commonAudiences } from '../audiences.js';
import { VerifiedTokens, type VerifiedToken } from '../verified-tokens.js';
import { boundIdentity, checkBound } from './bound.js';
import { legacyIssuer } from './issue.js';
import { candidateKeys, expiryOf, maxTokenLength, readToken, verifyToken, type TokenClaims } from './jwt.js';
import type { VerificationKey } from './keys.js';
import { legacyIdentity, usedLabel, validSecret } from './legacy.js';
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
  /** Bounds the verifications of signatures. */
  readonly verifications: FairLimit;
  /** Called when a token kept in this Secret is used for the first time today. */
  readonly onLegacyUse?: (secret: KubeObject, day: string) => void;
}

/** A token with a valid signature. Whether it is still valid is checked at each use. */
interface SignedToken extends VerifiedToken {
  readonly claims: TokenClaims;
  /** The user that its claims name, made at the first use: what others know of a user depends on the same object being used. */
  identity: Identity | undefined;
}

const audiencesOf = ({ aud }: TokenClaims): readonly string[] =>
  aud === undefined ? [] : typeof aud === 'string' ? [aud] : aud;

/**
 * Verifies the signature of a token, and only then parses the token again, since claims take more memory than
 * their text, and only the text counts against the limit of the tokens that wait.
 */
async function verified(token: string, candidates: readonly VerificationKey[]): Promise<SignedToken> {
  await verifyToken(token, candidates);
  const { claims } = readToken(token) ?? {};
  if (claims === undefined) throw new Error('a token with a valid signature cannot be read');
  return { claims, expires: expiryOf(claims), identity: undefined };
}

class ServiceAccountTokens {
  readonly #deps: ServiceAccountDeps;
  readonly #issuers: ReadonlySet<string>;
  readonly #verified: VerifiedTokens<SignedToken>;
  #keys: readonly VerificationKey[];

  constructor(deps: ServiceAccountDeps) {
    this.#deps = deps;
    this.#issuers = new Set([legacyIssuer, ...deps.issuers]);
    this.#verified = new VerifiedTokens(deps.verifications, deps.now);
    this.#keys = deps.keys();
  }

  /** hot: answers without a promise when the token was verified before and the objects that it depends on are in memory. */
  readonly authenticate: TokenAuthenticator = (token, asked, client) => {
    if (token.length > maxTokenLength) return undefined;
    const signed = this.#signed(token, client);
    if (signed === undefined) return undefined;
    return andThen(signed, known => this.#accept(token, known, asked));
  };

  /** Returns the token when one of the keys has signed it; undefined for a token of another kind. Throws or rejects for an invalid signature. */
  #signed(token: string, client: TokenClient | undefined): Maybe<SignedToken> | undefined {
    const keys = this.#deps.keys();
    if (keys !== this.#keys) {
      this.#keys = keys;
      this.#verified.clear();
    }
    const known = this.#verified.get(token);
    if (known === undefined) return this.#verify(token, client);
    if (!(known instanceof Promise)) return known;
    // It waits in the turn of another client, whose refusal says nothing about this one.
    return known.catch((error: unknown) => {
      const own = error instanceof QueueFullError ? this.#verify(token, client) : undefined;
      if (own === undefined) throw error;
      return own;
    });
  }

  /** Verifies a token in the turn of a client; returns undefined for a token of another kind. */
  #verify(token: string, client: TokenClient | undefined): Promise<SignedToken> | undefined {
    const candidates = this.#candidates(token, this.#keys);
    if (candidates === undefined) return undefined;
    return this.#verified.add({ token, client, verify: () => verified(token, candidates) });
  }

  /** Returns the keys that may have signed a token; undefined for a token of another kind. Throws when there is none. */
  #candidates(token: string, keys: readonly VerificationKey[]): readonly VerificationKey[] | undefined {
    const read = readToken(token);
    if (read === undefined || !this.#issuers.has(read.claims.iss ?? '')) return undefined;
    return candidateKeys(read.header, keys);
  }

  #accept(token: string, signed: SignedToken, asked: readonly string[]): Maybe<TokenAnswer> {
    const { audiences: ownAudiences } = this.#deps;
    const own = audiencesOf(signed.claims);
    const given = own.length === 0 ? ownAudiences : own;
    const wanted = asked.length === 0 ? ownAudiences : asked;
    const audiences = commonAudiences(given, wanted);
    if (audiences.length === 0)
      throw new Error(`token audiences ${quotedList(given)} is invalid for the target audiences ${quotedList(wanted)}`);
    return andThen(this.#identify(token, signed), identity => ({ identity, audiences }));
  }

  #identify(token: string, signed: SignedToken): Maybe<Identity> {
    const { lookups, now, onLegacyUse } = this.#deps;
    const { claims } = signed;
    if (claims.iss !== legacyIssuer)
      return andThen(checkBound(claims, lookups, now()), () => (signed.identity ??= boundIdentity(claims)));
    return andThen(validSecret(token, claims, lookups), secret => {
      const day = usedLabel(secret, now());
      if (day !== undefined) onLegacyUse?.(secret, day);
      return (signed.identity ??= legacyIdentity(claims));
    });
  }
}

/**
 * Returns an authenticator of tokens that this server has signed. It rejects tokens whose ServiceAccount, Secret, Pod or Node is gone.
 * as pkg/serviceaccount/jwt.go AuthenticateToken
 */
export const serviceAccountTokens = (deps: ServiceAccountDeps): TokenAuthenticator =>
  new ServiceAccountTokens(deps).authenticate;
