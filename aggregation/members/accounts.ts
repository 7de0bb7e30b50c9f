/** The accounts of Karmada in a member, and their tokens. */
import { StatusError } from '../../apimachinery/errors/status.js';
import { memberRoleName } from '../../api/karmada/names.js';
import { serviceAccountNameAnnotation, serviceAccountTokenSecret } from '../../api/kubernetes/well-known.js';
import type { Client } from '../../client/interface.js';
import { follow } from '../../client/watch/follow.js';
import { ensure, systemLabels } from './ensure.js';
import { core, rbac } from './resources.js';
import { secretText } from '../../kinds/kubernetes/core/config/secret-text.js';

const serviceAccounts = core('serviceaccounts');
const secrets = core('secrets');

/** Returns a token of a ServiceAccount of the member. Rejects with the reason of the signal when that aborts. */
export type TokenSource = (member: Client, account: string, namespace: string, signal?: AbortSignal) => Promise<string>;

/** Creates a ServiceAccount in the member. */
export async function ensureAccount(member: Client, name: string, namespace: string): Promise<void> {
  const metadata = { name, namespace, labels: systemLabels };
  await ensure(member, serviceAccounts, { apiVersion: 'v1', kind: 'ServiceAccount', metadata });
}

/** Grants all verbs on all resources of the member, since it is not known in advance what Karmada will propagate. */
export async function grantEverything(member: Client, account: string, namespace: string): Promise<void> {
  const name = memberRoleName(account);
  const metadata = { name, labels: systemLabels };
  const apiVersion = 'rbac.authorization.k8s.io/v1';
  const rules = [
    { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
    { verbs: ['get'], nonResourceURLs: ['*'] },
  ];
  await ensure(member, rbac('clusterroles'), { apiVersion, kind: 'ClusterRole', metadata, rules });
  await ensure(member, rbac('clusterrolebindings'), {
    ...{ apiVersion, kind: 'ClusterRoleBinding', metadata },
    subjects: [{ kind: 'ServiceAccount', name: account, namespace }],
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
  });
}

/** Returns tokens of the TokenRequest API that expire after `seconds`, for members that join again at every start. */
export const requestedTokens =
  (seconds: number): TokenSource =>
  async (member, name, namespace) => {
    const answer = await member.create(
      serviceAccounts,
      {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenRequest',
        metadata: { name, namespace },
        spec: { expirationSeconds: seconds },
      },
      { name, subresource: 'token' },
    );
    const { token } = answer['status'] as { token?: string };
    if (!token) throw new Error(`no token was issued for the service account ${namespace}/${name}`);
    return token;
  };

/** Seconds that the token of a member lasts: the control plane may be down for almost as long. See docs/decisions/0022-member-tokens.md */
const boundSeconds = 30 * 24 * 3600;

/** Codes with which a member refuses to issue a token, or does not know the request. */
const refusals: ReadonlySet<number> = new Set([400, 403, 404, 405, 422]);

/**
 * Returns tokens of the TokenRequest API, which the control plane renews, or those of Secrets for a member that refuses to issue them. `onFallback` is
 * called with the refusal.
 */
export const boundTokens =
  (onFallback: (refusal: StatusError) => void): TokenSource =>
  async (...request) => {
    try {
      return await requestedTokens(boundSeconds)(...request);
    } catch (error) {
      // Other failures may pass, and the token would stay.
      if (!(error instanceof StatusError) || !refusals.has(error.code)) throw error;
      onFallback(error);
      return secretTokens(...request);
    }
  };

const tokenTimeoutMs = 30_000;

/** Returns tokens without expiry: those that the member's token controller writes into Secrets. */
export const secretTokens: TokenSource = async (member, account, namespace, signal) => {
  await ensure(member, secrets, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: account,
      namespace,
      labels: systemLabels,
      annotations: { [serviceAccountNameAnnotation]: account },
    },
    type: serviceAccountTokenSecret,
  });
  return waitForToken(member, { account, namespace, signal });
};

interface AwaitedToken {
  readonly account: string;
  readonly namespace: string;
  readonly signal: AbortSignal | undefined;
}

/** Waits for the token in the Secret. Rejects at once with an error status of the member; retries a broken connection until the timeout. */
async function waitForToken(member: Client, { account, namespace, signal }: AwaitedToken): Promise<string> {
  const found = new AbortController();
  const ends = [found.signal, AbortSignal.timeout(tokenTimeoutMs), ...(signal ? [signal] : [])];
  try {
    return await new Promise<string>((resolve, reject) => {
      const { done } = follow(secrets, {
        client: member,
        selection: { namespace, fieldSelector: `metadata.name=${account}` },
        signal: AbortSignal.any(ends),
        onChange(_key, _old, current) {
          const token = secretText(current?.object, 'token');
          if (token) resolve(token);
        },
        onError(error) {
          if (error instanceof StatusError) reject(error);
        },
      });
      const message = `the cluster did not fill in a token for the service account ${namespace}/${account}`;
      void done.then(() => reject(signal?.aborted ? (signal.reason as Error) : new Error(message)));
    });
  } finally {
    found.abort();
  }
}
