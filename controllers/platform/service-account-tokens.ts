import { toBase64 } from '../../apimachinery/codec/base64.js';
import { namespacedName } from '../../apimachinery/meta/gvk.js';
import type { GroupVersionResource, KubeObject } from '../../apimachinery/interface.js';
import { find, ignoreNotFound } from '../../client/find.js';
import { keyOf, objectKey } from '../../client/key.js';
import type { ControllerContext } from '../../client/runtime/interface.js';
import { updateObject } from '../../client/runtime/update.js';
import {
  serviceAccountNameAnnotation,
  serviceAccountTokenSecret,
  serviceAccountUidAnnotation,
} from '../../api/kubernetes/well-known.js';

const core = (resource: string): GroupVersionResource => ({ group: '', version: 'v1', resource });
const secrets = core('secrets');
const serviceAccounts = core('serviceaccounts');

interface ServiceAccount extends KubeObject {
  secrets?: { name?: string }[];
}

interface Secret extends KubeObject {
  type?: string;
  /** Base64. */
  data?: Record<string, string>;
}

export interface TokenAuthority {
  /** CA certificates that the Secret's `ca.crt` gets, in PEM. */
  readonly caBundle: string;
  /** Signs a token without expiry for a ServiceAccount; it is valid as long as the Secret exists. */
  readonly issue: (order: { namespace: string; name: string; uid: string; secret: string }) => Promise<string>;
}

/**
 * Writes tokens into the service account token Secrets, and deletes those whose ServiceAccount does not exist.
 * as pkg/controller/serviceaccount TokensController
 */
export function startServiceAccountTokens(context: ControllerContext, { caBundle, issue }: TokenAuthority): void {
  const { client, informers } = context;
  const mirror = informers.informer<Secret>(secrets, {
    fieldSelector: `type=${serviceAccountTokenSecret}`,
    indexers: { account: secret => [accountKey(secret)] },
  });
  const accounts = informers.informer<ServiceAccount>(serviceAccounts);
  /** The last states of deleted Secrets whose accounts may still refer to them. */
  const deleted = new Map<string, Secret>();

  async function fill(secret: Secret, account: KubeObject): Promise<void> {
    const { namespace = '', name = '' } = account.metadata;
    const uid = account.metadata.uid ?? '';
    const token =
      secret.data?.['token'] || toBase64(await issue({ namespace, name, uid, secret: secret.metadata.name ?? '' }));
    await updateObject(client, secrets, secret, draft => {
      (draft.metadata.annotations ??= {})[serviceAccountUidAnnotation] = uid;
      const data = (draft.data ??= {});
      data['ca.crt'] = toBase64(caBundle);
      // Values that a user has set stay, if they are not empty.
      data['namespace'] ||= toBase64(namespace);
      data['token'] ||= token;
    });
  }

  async function remove(secret: Secret): Promise<void> {
    const { uid = '', resourceVersion = '' } = secret.metadata;
    await ignoreNotFound(client.delete(secrets, objectKey(secret), { preconditions: { uid, resourceVersion } }));
  }

  /** Removes the references to a deleted Secret from its account. */
  async function forget(key: string, secret: Secret): Promise<void> {
    const account = accounts.get(accountKey(secret));
    const wanted = secret.metadata.annotations?.[serviceAccountUidAnnotation];
    const isReferred = account?.secrets?.some(({ name }) => name === secret.metadata.name);
    if (account && isReferred && (!wanted || wanted === account.metadata.uid)) {
      const removed = updateObject(client, serviceAccounts, account, draft => {
        draft.secrets = draft.secrets?.filter(({ name }) => name !== secret.metadata.name) ?? [];
      });
      await ignoreNotFound(removed);
    }
    deleted.delete(key);
  }

  context.run({
    name: 'serviceaccount-token-controller',
    synced: [mirror.synced, accounts.synced],
    wire: queue => {
      mirror.onChange(({ key, old, new: secret }) => {
        if (secret) deleted.delete(key);
        else if (old) deleted.set(key, old);
        queue.add(key);
      });
      accounts.onChange(({ old, new: account }) => {
        const key = keyOf((account ?? old) as KubeObject);
        for (const secret of mirror.byIndex('account', key)) queue.add(keyOf(secret));
      });
    },
    reconcile: async key => {
      const secret = mirror.get(key);
      const former = deleted.get(key);
      if (former) return forget(key, former);
      const name = secret?.metadata.annotations?.[serviceAccountNameAnnotation];
      if (!secret || !name || secret.metadata.deletionTimestamp) return;
      // The mirror may not have a new account yet, so the server is asked before a Secret is deleted.
      const { namespace = '' } = secret.metadata;
      const account = accounts.get(accountKey(secret)) ?? (await find(client, serviceAccounts, { namespace, name }));
      const wanted = secret.metadata.annotations?.[serviceAccountUidAnnotation];
      if (!account || (wanted && wanted !== account.metadata.uid)) await remove(secret);
      else await fill(secret, account);
    },
  });
}

const accountKey = ({ metadata: { namespace, annotations } }: Secret): string =>
  namespacedName(namespace, annotations?.[serviceAccountNameAnnotation] ?? '');
