/** Checks tokens of the TokenRequest API against the current account and the object that they are bound to. */
import type { KubeObject } from '../../../apimachinery/interface.js';
import type { Identity } from '../../../apimachinery/identity.js';
import { andThen, settle, type Maybe } from '../../../lib/maybe.js';
import { serviceAccountGroups, serviceAccountUser } from '../user-names.js';
import { timeFault, type TokenClaims } from './jwt.js';
import type { Lookup, Lookups } from './lookups.js';

interface Reference {
  readonly name?: string;
  readonly uid?: string;
}

interface BoundClaims {
  readonly namespace?: string;
  readonly serviceaccount?: Reference;
  readonly pod?: Reference;
  readonly secret?: Reference;
  readonly node?: Reference;
}

const timeTexts = {
  early: 'service account token is not valid yet',
  expired: 'service account token has expired',
  future: 'service account token is issued in the future',
} as const;

/** Returns whether an object was deleted a minute ago or earlier: clocks differ. */
function deletedBefore(object: KubeObject, now: Date): boolean {
  const { deletionTimestamp } = object.metadata;
  return deletionTimestamp !== undefined && Date.parse(deletionTimestamp) < now.getTime() - 60_000;
}

const invalidated = 'service account token has been invalidated';

function checkObject(
  kind: 'pod' | 'secret' | 'node',
  reference: Reference,
  find: () => Maybe<KubeObject>,
  now: Date,
): Maybe<void> {
  const check = (object: KubeObject): void => {
    const [uid, wanted] = [object.metadata.uid ?? '', reference.uid ?? ''];
    if (uid !== wanted)
      throw new Error(`${kind} UID (${uid}) does not match service account ${kind} ref claim (${wanted})`);
    if (deletedBefore(object, now)) throw new Error(invalidated);
  };
  const found = settle(
    find,
    object => object,
    (cause): never => {
      throw new Error(invalidated, { cause });
    },
  );
  return andThen(found, check);
}

function checkAccount(find: Lookup, namespace: string, { name = '', uid = '' }: Reference, now: Date): Maybe<void> {
  return andThen(find(namespace, name), account => {
    const { uid: own = '' } = account.metadata;
    if (own !== uid) throw new Error(`service account UID (${own}) does not match claim (${uid})`);
    if (deletedBefore(account, now)) throw new Error(`service account ${namespace}/${name} has been deleted`);
  });
}

const boundClaims = (claims: TokenClaims): BoundClaims => claims['kubernetes.io'] ?? {};

function extraOf({ pod, node }: BoundClaims, jti: string | undefined): NonNullable<Identity['extra']> {
  const key = (name: string): string => `authentication.kubernetes.io/${name}`;
  return {
    ...(pod?.name && pod.uid && { [key('pod-name')]: [pod.name], [key('pod-uid')]: [pod.uid] }),
    ...(jti && { [key('credential-id')]: [`JTI=${jti}`] }),
    ...(node?.name && { [key('node-name')]: [node.name] }),
    ...(node?.name && node.uid && { [key('node-uid')]: [node.uid] }),
  };
}

/**
 * Checks the times of a token and the objects that it is bound to. Throws or rejects with an Error that says what is wrong.
 * as pkg/serviceaccount/claims.go Validate
 *
 * hot: makes no promise unless a lookup returns one.
 */
export function checkBound(claims: TokenClaims, lookups: Lookups, now: Date): Maybe<void> {
  const fault = timeFault(claims, now);
  if (fault !== '') throw new Error(timeTexts[fault]);
  const { namespace = '', serviceaccount = {}, pod, secret, node } = boundClaims(claims);
  const checkPodOrNode = (): Maybe<void> => {
    if (pod) return checkObject('pod', pod, () => lookups.pod(namespace, pod.name ?? ''), now);
    // The node of a pod's token is informational: the token is bound to the pod.
    return node && checkObject('node', node, () => lookups.node('', node.name ?? ''), now);
  };
  const checkSecret = (): Maybe<void> =>
    secret && checkObject('secret', secret, () => lookups.secret(namespace, secret.name ?? ''), now);
  return andThen(checkAccount(lookups.serviceAccount, namespace, serviceaccount, now), () =>
    andThen(checkSecret(), checkPodOrNode),
  );
}

/** Returns the user that a token names. */
export function boundIdentity(claims: TokenClaims): Identity {
  const bound = boundClaims(claims);
  const { namespace = '', serviceaccount = {} } = bound;
  return {
    name: serviceAccountUser(namespace, serviceaccount.name ?? ''),
    uid: serviceaccount.uid ?? '',
    groups: serviceAccountGroups(namespace),
    extra: extraOf(bound, claims.jti),
  };
}
