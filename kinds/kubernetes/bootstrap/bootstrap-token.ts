/** Bootstrap tokens: Secrets of kube-system whose token authenticates a joining client and signs what it must trust. */
import { toBase64 } from '../../../apimachinery/codec/base64.js';
import type { KubeObject } from '../../../apimachinery/interface.js';
import { readTime } from '../../../lib/go/time.js';
import { secretText } from '../core/config/secret-text.js';

/** The type of the Secrets. */
export const bootstrapTokenType = 'bootstrap.kubernetes.io/token';
export const bootstrapTokenNamespace = 'kube-system';

const namePrefix = 'bootstrap-token-';
const usagePrefix = 'usage-bootstrap-';

/** `ID.SECRET` */
export const bootstrapTokenPattern = /^([a-z0-9]{6})\.([a-z0-9]{16})$/;
export const bootstrapGroupPattern = /^system:bootstrappers:[a-z0-9:-]{0,255}[a-z0-9]$/;

export interface BootstrapToken {
  readonly id: string;
  readonly secret: string;
  readonly description: string;
  /** RFC 3339; '' for a token without end. */
  readonly expiration: string;
  /** Such as `signing` and `authentication`, sorted. */
  readonly usages: readonly string[];
  /** Groups that its user gets in addition to `system:bootstrappers`. */
  readonly groups: readonly string[];
}

/** Returns the name of the Secret of a bootstrap token in kube-system. */
export const bootstrapTokenName = (id: string): string => namePrefix + id;

/** Returns the token in a Secret, also one that is not valid; fields that the Secret lacks are ''. */
export function readBootstrapToken(secret: KubeObject): BootstrapToken {
  const data = (secret['data'] ?? {}) as Readonly<Record<string, string>>;
  const get = (key: string): string => secretText(secret, key) ?? '';
  const groups = get('auth-extra-groups');
  return {
    id: get('token-id'),
    secret: get('token-secret'),
    description: get('description'),
    expiration: get('expiration'),
    usages: Object.keys(data)
      .filter(key => key.startsWith(usagePrefix) && get(key) === 'true')
      .map(key => key.slice(usagePrefix.length))
      .sort(),
    groups: groups === '' ? [] : groups.split(','),
  };
}

/** Returns the Secret that holds a token. */
export const bootstrapTokenSecret = (token: BootstrapToken): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: bootstrapTokenName(token.id), namespace: bootstrapTokenNamespace },
  type: bootstrapTokenType,
  data: Object.fromEntries(
    Object.entries({
      'token-id': token.id,
      'token-secret': token.secret,
      ...(token.description !== '' && { description: token.description }),
      ...(token.expiration !== '' && { expiration: token.expiration }),
      ...Object.fromEntries(token.usages.map(usage => [usagePrefix + usage, 'true'])),
      ...(token.groups.length > 0 && { 'auth-extra-groups': token.groups.join(',') }),
    }).map(([key, value]) => [key, toBase64(value)]),
  ),
});

/**
 * Returns the milliseconds until a token ends; undefined for one without end. One whose expiration cannot be read has ended.
 * as staging/src/k8s.io/cluster-bootstrap/util/secrets GetExpiration
 */
export function millisecondsLeft({ expiration }: Pick<BootstrapToken, 'expiration'>, now: number): number | undefined {
  if (expiration === '') return undefined;
  const end = readTime(expiration);
  return 'error' in end ? 0 : Math.max(end.ms - now, 0);
}
