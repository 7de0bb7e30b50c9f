/** The controllers of bootstrap tokens: the signatures of cluster-info, and the deletion of tokens that have ended. */
import { namespacedName } from '../../apimachinery/meta/gvk.js';
import type { KubeObject } from '../../apimachinery/interface.js';
import { configMaps, secrets } from '../../api/kubernetes/resources.js';
import { keyOf } from '../../client/key.js';
import type { ControllerContext, Informer } from '../../client/runtime/interface.js';
import { deleteUnchanged, updateObject } from '../../client/runtime/update.js';
import {
  bootstrapTokenName,
  bootstrapTokenNamespace,
  bootstrapTokenType,
  millisecondsLeft,
  readBootstrapToken,
} from '../../kinds/kubernetes/bootstrap/bootstrap-token.js';
import {
  clusterInfoKey,
  clusterInfoKubeconfig,
  detachedSignature,
  signatureKeyPrefix,
} from '../../kinds/kubernetes/bootstrap/cluster-info.js';

interface ConfigMap extends KubeObject {
  data?: Record<string, string>;
}

const tokensOf = ({ informers }: ControllerContext): Informer =>
  informers.informer(secrets, { namespace: bootstrapTokenNamespace, fieldSelector: `type=${bootstrapTokenType}` });

/** Signs kube-public/cluster-info with every token that may sign. as pkg/controller/bootstrap Signer */
export function startBootstrapSigner(context: ControllerContext): void {
  const { client, clock } = context;
  const tokens = tokensOf(context);
  const { namespace, name } = clusterInfoKey;
  const maps = context.informers.informer<ConfigMap>(configMaps, {
    namespace,
    fieldSelector: `metadata.name=${name}`,
  });
  const key = namespacedName(namespace, name);

  /** Returns the signatures by their keys. */
  function signatures(text: string): ReadonlyMap<string, string> {
    const valid = tokens.list().filter(secret => {
      const token = readBootstrapToken(secret);
      const isComplete = token.secret !== '' && secret.metadata.name === bootstrapTokenName(token.id);
      const hasEnded = millisecondsLeft(token, clock.now()) === 0;
      return isComplete && !secret.metadata.deletionTimestamp && !hasEnded && token.usages.includes('signing');
    });
    return new Map(
      valid.map(readBootstrapToken).map(token => [signatureKeyPrefix + token.id, detachedSignature(text, token)]),
    );
  }

  context.run({
    name: 'bootstrap-signer-controller',
    synced: [tokens.synced, maps.synced],
    wire: queue => {
      maps.onChange(({ new: map }) => map && queue.add(key));
      tokens.onChange(() => queue.add(key));
    },
    reconcile: async () => {
      const map = maps.get(key);
      if (map?.data?.[clusterInfoKubeconfig] === undefined) return;
      await updateObject(client, configMaps, map, draft => {
        const data = (draft.data ??= {});
        const wanted = signatures(data[clusterInfoKubeconfig] ?? '');
        for (const entry of Object.keys(data))
          if (entry.startsWith(signatureKeyPrefix) && !wanted.has(entry)) delete data[entry];
        for (const [entry, signature] of wanted) data[entry] = signature;
      });
    },
  });
}

/** Deletes tokens that have ended. as pkg/controller/bootstrap TokenCleaner */
export function startTokenCleaner(context: ControllerContext): void {
  const { client, clock } = context;
  const tokens = tokensOf(context);
  context.run({
    name: 'token-cleaner-controller',
    synced: [tokens.synced],
    wire: queue => tokens.onChange(({ new: secret }) => secret && queue.add(keyOf(secret))),
    reconcile: async key => {
      const secret = tokens.get(key);
      if (!secret) return undefined;
      const left = millisecondsLeft(readBootstrapToken(secret), clock.now());
      if (left === undefined) return undefined;
      if (left > 0) return { againAfter: left };
      await deleteUnchanged(client, secrets, secret);
      return undefined;
    },
  });
}
