/** Issues service account tokens. */
import type { TokenOrder } from '../../../registry/access.js';
import { serviceAccountUser } from '../user-names.js';
import { signToken } from './jwt.js';
import type { SigningKey } from './keys.js';

export const legacyIssuer = 'kubernetes/serviceaccount';

const seconds = (time: Date): number => Math.trunc(time.getTime() / 1000);

interface IssuerDeps {
  readonly issuer: string;
  /** Returns the current key. */
  readonly key: () => SigningKey;
  readonly uuid: () => string;
}

/**
 * Issues bound tokens, which end with their time, their account, and the object that they are bound to. as pkg/serviceaccount/claims.go Claims
 */
export function tokenIssuer({ issuer, key, uuid }: IssuerDeps): (order: TokenOrder) => Promise<string> {
  return order => {
    const { namespace, name, uid, audiences, pod, secret, node, now } = order;
    const iat = seconds(now);
    const reference = (object: { name: string; uid: string }) => ({
      name: object.name,
      ...(object.uid !== '' && { uid: object.uid }),
    });
    return signToken(key(), {
      aud: audiences,
      exp: iat + order.expirationSeconds,
      iat,
      iss: issuer,
      jti: uuid(),
      'kubernetes.io': {
        namespace,
        ...(node && { node: reference(node) }),
        ...(pod && { pod: reference(pod) }),
        ...(secret && { secret: reference(secret) }),
        serviceaccount: { name, uid },
        ...(order.warnAfterSeconds !== undefined && { warnafter: iat + order.warnAfterSeconds }),
      },
      nbf: iat,
      sub: serviceAccountUser(namespace, name),
    });
  };
}

export interface LegacyOrder {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** The Secret that holds the token. */
  readonly secret: string;
}

/** Returns a token without expiry, to be kept in a Secret. as pkg/serviceaccount/legacy.go LegacyClaims */
export const legacyToken = (key: SigningKey, { namespace, name, uid, secret }: LegacyOrder): Promise<string> =>
  signToken(key, {
    iss: legacyIssuer,
    'kubernetes.io/serviceaccount/namespace': namespace,
    'kubernetes.io/serviceaccount/secret.name': secret,
    'kubernetes.io/serviceaccount/service-account.name': name,
    'kubernetes.io/serviceaccount/service-account.uid': uid,
    sub: serviceAccountUser(namespace, name),
  });
