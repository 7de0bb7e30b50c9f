/** Checks tokens of the TokenRequest API against the current account and the object that they are bound to. */
import type { KubeObject } from '../../../apimachinery/interface.js';
import type { Identity } from '../../../apimachinery/identity.js';
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

async function checkBound(
  kind: 'pod' | 'secret' | 'node',
  reference: Reference,
  find: () => Promise<KubeObject>,
  now: Date,
): Promise<void> {
  let object: KubeObject;
  try {
    object = await find();
  } catch (cause) {
    throw new Error(invalidated, { cause });
  }
  const [uid, wanted] = [object.metadata.uid ?? '', reference.uid ?? ''];
  if (uid !== wanted)
    throw new Error(`${kind} UID (${uid}) does not match service account ${kind} ref claim (${wanted})`);
  if (deletedBefore(object, now)) throw new Error(invalidated);
}

async function checkAccount(find: Lookup, namespace: string, { name = '', uid = '' }: Reference, now: Date) {
  const account = await find(namespace, name);
  const { uid: own = '' } = account.metadata;
  if (own !== uid) throw new Error(`service account UID (${own}) does not match claim (${uid})`);
  if (deletedBefore(account, now)) throw new Error(`service account ${namespace}/${name} has been deleted`);
}

function extraOf({ pod, node }: BoundClaims, jti: string | undefined): NonNullable<Identity['extra']> {
  const key = (name: string): string => `authentication.kubernetes.io/${name}`;
  return {
    ...(pod?.name && pod.uid && { [key('pod-name')]: [pod.name], [key('pod-uid')]: [pod.uid] }),
    ...(jti && { [key('credential-id')]: [`JTI=${jti}`] }),
    ...(node?.name && { [key('node-name')]: [node.name] }),
    ...(node?.name && node.uid && { [key('node-uid')]: [node.uid] }),
  };
}

/** Returns the user of a token. Rejects with an Error that says what is wrong. as pkg/serviceaccount/claims.go Validate */
export async function boundIdentity(claims: TokenClaims, lookups: Lookups, now: Date): Promise<Identity> {
  const fault = timeFault(claims, now);
  if (fault !== '') throw new Error(timeTexts[fault]);
  const bound = (claims['kubernetes.io'] ?? {}) as BoundClaims;
  const { namespace = '', serviceaccount = {}, pod, secret, node } = bound;
  await checkAccount(lookups.serviceAccount, namespace, serviceaccount, now);
  if (secret) await checkBound('secret', secret, () => lookups.secret(namespace, secret.name ?? ''), now);
  if (pod) await checkBound('pod', pod, () => lookups.pod(namespace, pod.name ?? ''), now);
  // The node of a pod's token is informational: the token is bound to the pod.
  if (node && !pod) await checkBound('node', node, () => lookups.node('', node.name ?? ''), now);
  return {
    name: serviceAccountUser(namespace, serviceaccount.name ?? ''),
    uid: serviceaccount.uid ?? '',
    groups: serviceAccountGroups(namespace),
    extra: extraOf(bound, claims.jti),
  };
}
