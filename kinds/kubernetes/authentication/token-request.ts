import type { KubeObject } from '../../../apimachinery/interface.js';
import { invalidValue } from '../../../apimachinery/errors/faults.js';
import { goQuote } from '../../../lib/go/go-text.js';
import { badRequest, conflict, invalid, isNotFound } from '../../../apimachinery/errors/status.js';
import { formatTime } from '../../../lib/go/time.js';
import type { AccessPorts, BoundObject, TokenOrder } from '../../../registry/access.js';
import type { ActionCall, Subresource } from '../../../registry/interface.js';
import type { TokenRequest } from '../../../api/kubernetes/authentication.js';
import type { Pod } from '../../../api/kubernetes/core.js';

type TokenPorts = Pick<AccessPorts, 'issueToken' | 'audiences' | 'maxTokenSeconds'>;

const kind = { group: 'authentication.k8s.io', version: 'v1', kind: 'TokenRequest' } as const;

/** The lifetime that kubelets request by default: such tokens are accepted for a year, but counted as stale after the hour. */
const defaultPodSeconds = 3607;
const extendedSeconds = 365 * 24 * 3600;

const core = (resource: string) => ({ group: '', version: 'v1', resource }) as const;
const bound = ({ metadata: { name = '', uid = '' } }: KubeObject): BoundObject => ({ name, uid });

type Bindings = Pick<TokenOrder, 'pod' | 'secret' | 'node'>;

/** Returns the node that a pod runs on; only its name if there is no Node object. */
async function nodeOf({ client }: ActionCall, pod: Pod): Promise<BoundObject | undefined> {
  const name = pod.spec?.nodeName ?? '';
  if (name === '') return undefined;
  try {
    return bound(await client.get(core('nodes'), { name }));
  } catch (error) {
    if (isNotFound(error)) return { name, uid: '' };
    throw error;
  }
}

type Reference = NonNullable<NonNullable<TokenRequest['spec']>['boundObjectRef']>;

async function podBinding(call: ActionCall, account: string, name: string): Promise<Bindings> {
  const pod = await call.client.get(core('pods'), { namespace: call.namespace, name });
  if ((pod as Pod).spec?.serviceAccountName !== account)
    throw badRequest(
      `cannot bind token for serviceaccount ${goQuote(account)} to pod running with different serviceaccount name.`,
    );
  const node = await nodeOf(call, pod);
  return { pod: bound(pod), ...(node && { node }) };
}

/** Reads the objects that a token is bound to. as pkg/registry/core/serviceaccount/storage/token.go */
async function bindings(call: ActionCall, account: string, reference: Reference): Promise<Bindings> {
  const { apiVersion = '', kind: kindName = '', name = '', uid = '' } = reference;
  const [version = '', group = ''] = apiVersion.split('/').reverse();
  const read: Record<string, () => Promise<Bindings>> = {
    Pod: () => podBinding(call, account, name),
    Node: async () => ({ node: bound(await call.client.get(core('nodes'), { name })) }),
    Secret: async () => ({
      secret: bound(await call.client.get(core('secrets'), { namespace: call.namespace, name })),
    }),
  };
  const bind = group === '' ? read[kindName] : undefined;
  if (bind === undefined) throw badRequest(`cannot bind token to object of type ${group}/${version}, Kind=${kindName}`);
  const found = await bind();
  const object = found.pod ?? found.secret ?? found.node;
  if (uid !== '' && object?.uid !== uid) {
    const text = `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`;
    throw conflict({ group, resource: kindName }, name, text);
  }
  return found;
}

function durationFault(seconds: number): string | undefined {
  if (seconds < 600) return 'may not specify a duration less than 10 minutes';
  return seconds > 2 ** 32 ? 'may not specify a duration larger than 2^32 seconds' : undefined;
}

/** A body may repeat the name and namespace of its path. */
function checkPath(metadata: KubeObject['metadata'], name: string, namespace: string): void {
  const refuse = (path: string, value: string, what: string): never => {
    throw invalid(kind, name, [invalidValue(path, value, `must match the service account ${what} if specified`)]);
  };
  if (metadata.name && metadata.name !== name) refuse('metadata.name', metadata.name, 'name');
  if (metadata.namespace && metadata.namespace !== namespace)
    refuse('metadata.namespace', metadata.namespace, 'namespace');
}

/** A body may also give the UID of the account. */
function checkUid(metadata: KubeObject['metadata'], { metadata: { name = '', uid = '' } }: KubeObject): void {
  if (metadata.uid && metadata.uid !== uid) {
    const text = `the UID in the token request (${metadata.uid}) does not match the UID of the service account (${uid})`;
    throw conflict({ group: kind.group, resource: kind.kind }, name, text);
  }
}

/** Serves serviceaccounts/token. `clock` gives the time at which tokens are issued. */
export function tokenSubresource(ports: TokenPorts, clock: () => Date): Subresource {
  const act = async (call: ActionCall, name: string, body: KubeObject): Promise<KubeObject> => {
    const { spec = {}, metadata, status: _status, ...rest } = body as TokenRequest;
    const { namespace } = call;
    checkPath(metadata, name, namespace);
    const account = await call.client.get(core('serviceaccounts'), { namespace, name });
    checkUid(metadata, account);
    const now = clock();
    const audiences = spec.audiences?.length ? spec.audiences : [...ports.audiences];
    const requestedSeconds = spec.expirationSeconds ?? 3600;
    const fault = durationFault(requestedSeconds);
    if (fault !== undefined) throw invalid(kind, '', [invalidValue('spec.expirationSeconds', requestedSeconds, fault)]);
    const reference = spec.boundObjectRef ?? undefined;
    const bound = reference === undefined ? {} : await bindings(call, name, reference);
    const seconds = Math.min(requestedSeconds, ports.maxTokenSeconds ?? Infinity);
    if (seconds < requestedSeconds)
      call.warn(`requested expiration of ${requestedSeconds} seconds shortened to ${seconds} seconds`);
    const extended =
      bound.pod !== undefined && seconds === defaultPodSeconds && audiences.every(a => ports.audiences.includes(a));
    const uid = account.metadata.uid ?? '';
    const token = await ports.issueToken({
      ...{ namespace, name, uid, audiences, now },
      expirationSeconds: extended ? extendedSeconds : seconds,
      ...(extended && { warnAfterSeconds: seconds }),
      ...bound,
    });
    return {
      ...rest,
      metadata: { ...metadata, name, namespace, uid, creationTimestamp: formatTime(now) },
      spec: { audiences, expirationSeconds: seconds, boundObjectRef: reference ?? null },
      status: { token, expirationTimestamp: formatTime(new Date(now.getTime() + seconds * 1000)) },
    };
  };
  return { type: 'action', verbs: ['create'], kind, act };
}
