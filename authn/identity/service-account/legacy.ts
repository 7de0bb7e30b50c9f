/** Checks tokens kept in Secrets: valid while the Secret holds them and the account exists. */
import { timingSafeEqual } from 'node:crypto';
import type { KubeObject } from '../../../apimachinery/interface.js';
import type { Identity } from '../../../apimachinery/identity.js';
import { andThen, settle, type Maybe } from '../../../lib/maybe.js';
import { serviceAccountGroups, serviceAccountOf } from '../user-names.js';
import type { TokenClaims } from './jwt.js';
import type { Lookups } from './lookups.js';
import { secretText } from '../../../kinds/kubernetes/core/config/secret-text.js';

const prefix = 'kubernetes.io/serviceaccount/';
const invalidSince = 'kubernetes.io/legacy-token-invalid-since';
export const lastUsedLabel = 'kubernetes.io/legacy-token-last-used';

const gone = 'Token has been invalidated';

/** Returns the required claims; throws for the first missing one. */
function required(claims: TokenClaims): {
  namespace: string;
  secret: string;
  name: string;
  uid: string;
  subject: string;
} {
  const claim = (key: string, name: string): string => {
    const value = claims[key];
    if (typeof value !== 'string' || value === '') throw new Error(`${name} claim is missing`);
    return value;
  };
  return {
    subject: claim('sub', 'sub'),
    namespace: claim(`${prefix}namespace`, 'namespace'),
    secret: claim(`${prefix}secret.name`, 'secretName'),
    name: claim(`${prefix}service-account.name`, 'serviceAccountName'),
    uid: claim(`${prefix}service-account.uid`, 'serviceAccountUID'),
  };
}

function sameText(a: string, b: string): boolean {
  const [x, y] = [Buffer.from(a), Buffer.from(b)];
  return x.length === y.length && timingSafeEqual(x, y);
}

function secretOf(lookups: Lookups, namespace: string, name: string): Maybe<KubeObject> {
  const found = settle(
    () => lookups.secret(namespace, name),
    secret => secret,
    (cause): never => {
      throw new Error(gone, { cause });
    },
  );
  return andThen(found, secret => {
    if (secret.metadata.deletionTimestamp !== undefined) throw new Error(gone);
    return secret;
  });
}

/** Returns the user that a token names. */
export function legacyIdentity(claims: TokenClaims): Identity {
  const { subject, namespace, uid } = required(claims);
  return { name: subject, uid, groups: serviceAccountGroups(namespace) };
}

/**
 * Returns the Secret that holds a token. Throws or rejects with an Error that says why the token is not valid.
 * as pkg/serviceaccount/legacy.go Validate
 *
 * hot: makes no promise unless a lookup returns one.
 */
export function validSecret(token: string, claims: TokenClaims, lookups: Lookups): Maybe<KubeObject> {
  const { subject, namespace, secret: secretName, name, uid } = required(claims);
  const account = serviceAccountOf(subject);
  if (account?.namespace !== namespace || account.name !== name) throw new Error('sub claim is invalid');
  return andThen(secretOf(lookups, namespace, secretName), secret => {
    if (!sameText(secretText(secret, 'token') ?? '', token)) throw new Error("Token does not match server's copy");
    return andThen(lookups.serviceAccount(namespace, name), account => {
      checkAccount(account, { namespace, name, uid });
      checkNotMarked(secret, secretName, { namespace, name });
      return secret;
    });
  });
}

interface Account {
  readonly namespace: string;
  readonly name: string;
}

function checkAccount({ metadata }: KubeObject, { namespace, name, uid }: Account & { readonly uid: string }): void {
  if (metadata.deletionTimestamp !== undefined) throw new Error(`ServiceAccount ${namespace}/${name} has been deleted`);
  if (metadata.uid !== uid) throw new Error(`ServiceAccount UID (${metadata.uid ?? ''}) does not match claim (${uid})`);
}

function checkNotMarked({ metadata }: KubeObject, secretName: string, { namespace, name }: Account): void {
  if (metadata.labels?.[invalidSince])
    throw new Error(
      `the token in secret ${namespace}/${secretName} for service account ${namespace}/${name} has been marked invalid. Use tokens from the TokenRequest API or manually created secret-based tokens, or remove the '${invalidSince}' label from the secret to temporarily allow use of this token`,
    );
}

/** Returns the day for the Secret's last-used label; undefined when it is set already. Tomorrow's label is kept: servers' clocks differ. */
export function usedLabel(secret: KubeObject, now: Date): string | undefined {
  const day = (offset: number): string => new Date(now.getTime() + offset * 86_400_000).toISOString().slice(0, 10);
  const last = secret.metadata.labels?.[lastUsedLabel];
  return last === day(0) || last === day(1) ? undefined : day(0);
}
