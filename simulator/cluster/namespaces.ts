import type { KubeObject } from '../../apimachinery/interface.js';
import type { ConfigMap } from '../../openapi/gen/core-v1.js';
import { StatusError } from '../../apimachinery/errors/status.js';
import { keyOf } from '../../client/key.js';
import type { Client } from '../../client/interface.js';
import type { ControllerContext, Informer, Key, WorkQueue } from '../../client/runtime/interface.js';
import type { GroupVersionResource } from '../../apimachinery/interface.js';
import { updateObject } from '../../client/runtime/update.js';
import { configMaps, namespaces, serviceAccounts } from '../../api/kubernetes/resources.js';

const rootMap = 'kube-root-ca.crt';

const described = {
  'kubernetes.io/description': 'The authority behind the certificate of the API server; kubelets give it to every Pod.',
};

/** Creates what Pods need in every namespace: the ServiceAccount `default`, and the ConfigMap with the authority of the API server. */
class NamespaceDefaults {
  readonly #client: Client;
  readonly #authority: string;
  readonly #namespaces: Informer;
  readonly #accounts: Informer;
  readonly #maps: Informer<ConfigMap>;

  constructor({ client, informers }: ControllerContext, authority: string) {
    this.#client = client;
    this.#authority = authority;
    this.#namespaces = informers.informer(namespaces);
    this.#accounts = informers.informer(serviceAccounts, { fieldSelector: 'metadata.name=default' });
    this.#maps = informers.informer<ConfigMap>(configMaps, { fieldSelector: `metadata.name=${rootMap}` });
  }

  get synced(): readonly Promise<void>[] {
    return [this.#namespaces.synced, this.#accounts.synced, this.#maps.synced];
  }

  wire(queue: WorkQueue): void {
    this.#namespaces.onChange(({ new: namespace }) => namespace && queue.add(keyOf(namespace)));
    this.#accounts.onChange(({ old, new: now }) => {
      if (!now && old) queue.add(old.metadata.namespace ?? '');
    });
    this.#maps.onChange(({ old, new: now }) => {
      if (!now || now.data?.['ca.crt'] !== this.#authority) queue.add((now ?? old)?.metadata.namespace ?? '');
    });
  }

  async reconcile(name: Key): Promise<void> {
    const namespace = this.#namespaces.get(name);
    if (!namespace || namespace.metadata.deletionTimestamp) return;
    if (!this.#accounts.get(`${name}/default`)) {
      const metadata = { name: 'default', namespace: name };
      await this.#create(serviceAccounts, { apiVersion: 'v1', kind: 'ServiceAccount', metadata });
    }
    const map = this.#maps.get(`${name}/${rootMap}`);
    const data = { 'ca.crt': this.#authority };
    if (map)
      await updateObject<ConfigMap>(this.#client, configMaps, map, draft => {
        draft.data = data;
        draft.metadata.annotations = { ...draft.metadata.annotations, ...described };
      });
    else
      await this.#create(configMaps, {
        ...{ apiVersion: 'v1', kind: 'ConfigMap', data },
        metadata: { name: rootMap, namespace: name, annotations: described },
      });
  }

  /** Creates an object, unless it exists already or its namespace is gone or terminating. */
  async #create(resource: GroupVersionResource, object: KubeObject): Promise<void> {
    try {
      await this.#client.create(resource, object);
    } catch (error) {
      const { code, status } = error instanceof StatusError ? error : { code: 0, status: undefined };
      const going = code === 403 && status?.details?.causes?.some(({ reason }) => reason === 'NamespaceTerminating');
      if (code !== 409 && code !== 404 && !going) throw error;
    }
  }
}

/** Starts the creation of the defaults. `authority`: the certificate of the API server's authority, in PEM. */
export function startNamespaceDefaults(context: ControllerContext, authority: string): void {
  const defaults = new NamespaceDefaults(context, authority);
  context.run({
    name: 'serviceaccount-controller',
    synced: defaults.synced,
    wire: queue => defaults.wire(queue),
    reconcile: name => defaults.reconcile(name),
  });
}
