import type { KubeObject } from '../../apimachinery/interface.js';
import type { ConfigMap } from '../../openapi/gen/core-v1.js';
import { StatusError } from '../../apimachinery/errors/status.js';
import { keyOf } from '../../client/key.js';
import type { ControllerContext } from '../../client/runtime/interface.js';
import type { GroupVersionResource } from '../../apimachinery/interface.js';
import { updateObject } from '../../client/runtime/update.js';
import { configMaps, namespaces, serviceAccounts } from '../../api/kubernetes/resources.js';

const rootMap = 'kube-root-ca.crt';

const described = {
  'kubernetes.io/description': 'The authority behind the certificate of the API server; kubelets give it to every Pod.',
};

/** Creates what Pods need in every namespace: the ServiceAccount `default`, and the ConfigMap with the authority of the API server. */
export function startNamespaceDefaults(context: ControllerContext, authority: string): void {
  const { client } = context;
  const mirror = context.informers.informer(namespaces);
  const options = { fieldSelector: 'metadata.name=default' };
  const accounts = context.informers.informer(serviceAccounts, options);
  const maps = context.informers.informer<ConfigMap>(configMaps, { fieldSelector: `metadata.name=${rootMap}` });

  async function create(resource: GroupVersionResource, object: KubeObject): Promise<void> {
    try {
      await client.create(resource, object);
    } catch (error) {
      const { code, status } = error instanceof StatusError ? error : { code: 0, status: undefined };
      const going = code === 403 && status?.details?.causes?.some(({ reason }) => reason === 'NamespaceTerminating');
      if (code !== 409 && code !== 404 && !going) throw error;
    }
  }

  context.run({
    name: 'serviceaccount-controller',
    synced: [mirror.synced, accounts.synced, maps.synced],
    wire(queue) {
      mirror.onChange(({ new: namespace }) => namespace && queue.add(keyOf(namespace)));
      accounts.onChange(({ old, new: now }) => {
        if (!now && old) queue.add(old.metadata.namespace ?? '');
      });
      maps.onChange(({ old, new: now }) => {
        if (!now || now.data?.['ca.crt'] !== authority) queue.add((now ?? old)?.metadata.namespace ?? '');
      });
    },
    async reconcile(name) {
      const namespace = mirror.get(name);
      if (!namespace || namespace.metadata.deletionTimestamp) return;
      const metadata = (objectName: string): KubeObject['metadata'] => ({ name: objectName, namespace: name });
      if (!accounts.get(`${name}/default`))
        await create(serviceAccounts, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: metadata('default') });
      const map = maps.get(`${name}/${rootMap}`);
      const data = { 'ca.crt': authority };
      if (map)
        await updateObject<ConfigMap>(client, configMaps, map, draft => {
          draft.data = data;
          draft.metadata.annotations = { ...draft.metadata.annotations, ...described };
        });
      else
        await create(configMaps, {
          ...{ apiVersion: 'v1', kind: 'ConfigMap', data },
          metadata: { ...metadata(rootMap), annotations: described },
        });
    },
  });
}
