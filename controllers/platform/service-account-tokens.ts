import { toBase64 } from '../../apimachinery/codec/base64.js';
import { namespacedName } from '../../apimachinery/meta/gvk.js';
import type { GroupVersionResource, KubeObject } from '../../apimachinery/interface.js';
import { find, ignoreNotFound } from '../../client/find.js';
import { keyOf } from '../../client/key.js';
import type { Client } from '../../client/interface.js';
import type { ControllerContext, ControllerOptions, Informer } from '../../client/runtime/interface.js';
import { deleteUnchanged, updateObject } from '../../client/runtime/update.js';
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
export function startServiceAccountTokens(context: ControllerContext, authority: TokenAuthority): void {
  const controller = new TokensController(context, authority);
  context.run({
    name: 'serviceaccount-token-controller',
    synced: controller.synced,
    wire: controller.wire,
    reconcile: controller.reconcile,
  });
}

const accountKey = ({ metadata: { namespace, annotations } }: Secret): string =>
  namespacedName(namespace, annotations?.[serviceAccountNameAnnotation] ?? '');

class TokensController {
  readonly #client: Client;
  readonly #authority: TokenAuthority;
  readonly #secrets: Informer<Secret>;
  readonly #accounts: Informer<ServiceAccount>;
  /** The last states of deleted Secrets whose accounts may still refer to them. */
  readonly #deleted = new Map<string, Secret>();

  constructor({ client, informers }: ControllerContext, authority: TokenAuthority) {
    this.#client = client;
    this.#authority = authority;
    this.#secrets = informers.informer<Secret>(secrets, {
      fieldSelector: `type=${serviceAccountTokenSecret}`,
      indexers: { account: secret => [accountKey(secret)] },
    });
    this.#accounts = informers.informer<ServiceAccount>(serviceAccounts);
  }

  get synced(): readonly Promise<void>[] {
    return [this.#secrets.synced, this.#accounts.synced];
  }

  readonly wire: ControllerOptions['wire'] = queue => {
    this.#secrets.onChange(({ key, old, new: secret }) => {
      if (secret) this.#deleted.delete(key);
      else if (old) this.#deleted.set(key, old);
      queue.add(key);
    });
    this.#accounts.onChange(({ old, new: account }) => {
      const key = keyOf((account ?? old) as KubeObject);
      for (const secret of this.#secrets.byIndex('account', key)) queue.add(keyOf(secret));
    });
  };

  readonly reconcile: ControllerOptions['reconcile'] = async key => {
    const secret = this.#secrets.get(key);
    const former = this.#deleted.get(key);
    if (former) return this.#forget(key, former);
    const name = secret?.metadata.annotations?.[serviceAccountNameAnnotation];
    if (!secret || !name || secret.metadata.deletionTimestamp) return;
    // The informer may not have a new account yet, so the server is asked before a Secret is deleted.
    const { namespace = '' } = secret.metadata;
    const known = this.#accounts.get(accountKey(secret));
    const account = known ?? (await find(this.#client, serviceAccounts, { namespace, name }));
    const wanted = secret.metadata.annotations?.[serviceAccountUidAnnotation];
    if (!account || (wanted && wanted !== account.metadata.uid)) await deleteUnchanged(this.#client, secrets, secret);
    else await this.#fill(secret, account);
  };

  async #fill(secret: Secret, account: KubeObject): Promise<void> {
    const { caBundle, issue } = this.#authority;
    const { namespace = '', name = '' } = account.metadata;
    const uid = account.metadata.uid ?? '';
    const token =
      secret.data?.['token'] || toBase64(await issue({ namespace, name, uid, secret: secret.metadata.name ?? '' }));
    await updateObject(this.#client, secrets, secret, draft => {
      (draft.metadata.annotations ??= {})[serviceAccountUidAnnotation] = uid;
      const data = (draft.data ??= {});
      data['ca.crt'] = toBase64(caBundle);
      // Values that a user has set stay, if they are not empty.
      data['namespace'] ||= toBase64(namespace);
      data['token'] ||= token;
    });
  }

  /** Removes the references to a deleted Secret from its account. */
  async #forget(key: string, secret: Secret): Promise<void> {
    const account = this.#accounts.get(accountKey(secret));
    const wanted = secret.metadata.annotations?.[serviceAccountUidAnnotation];
    const isReferred = account?.secrets?.some(({ name }) => name === secret.metadata.name);
    if (account && isReferred && (!wanted || wanted === account.metadata.uid)) {
      const removed = updateObject(this.#client, serviceAccounts, account, draft => {
        draft.secrets = draft.secrets?.filter(({ name }) => name !== secret.metadata.name) ?? [];
      });
      await ignoreNotFound(removed);
    }
    this.#deleted.delete(key);
  }
}
