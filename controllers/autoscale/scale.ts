import { ExpectedError } from '../../lib/logging/cause.js';
import type { GroupVersionResource, KubeObject } from '../../apimachinery/interface.js';
import { parseApiVersion } from '../../apimachinery/meta/gvk.js';
import type { Client } from '../../client/interface.js';
import type { CronFederatedHpa, CronRule } from '../../kinds/karmada/autoscaling/cron-federated-hpa.js';
import { updateObject } from '../../client/runtime/update.js';

const federatedHpas: GroupVersionResource = {
  group: 'autoscaling.karmada.io',
  version: 'v1alpha1',
  resource: 'federatedhpas',
};

interface FederatedHpa extends KubeObject {
  spec: { minReplicas?: number; maxReplicas: number };
}

interface Scale extends KubeObject {
  spec?: { replicas?: number };
}

/** Executes a rule: sets minReplicas and maxReplicas of a FederatedHPA, or the replicas of any resource with a scale subresource. */
export async function scale(hpa: CronFederatedHpa, rule: CronRule, client: Client): Promise<void> {
  const { namespace = '', name: ownName } = hpa.metadata;
  const { apiVersion = '', kind = '', name = '' } = hpa.spec.scaleTargetRef;
  const key = { namespace, name };
  if (apiVersion !== 'autoscaling.karmada.io/v1alpha1') return scaleWorkload(key, apiVersion, kind, rule, client);
  if (kind !== 'FederatedHPA')
    throw new ExpectedError(
      `CronFederatedHPA(${namespace}/${ownName}) do not support scale target ${apiVersion}/${kind}`,
    );
  const target = (await client.get(federatedHpas, key)) as FederatedHpa;
  await updateObject(client, federatedHpas, target, ({ spec }) => {
    if (rule.targetMaxReplicas !== undefined) spec.maxReplicas = rule.targetMaxReplicas;
    if (rule.targetMinReplicas !== undefined) spec.minReplicas = rule.targetMinReplicas;
  });
}

async function scaleWorkload(
  key: { readonly namespace: string; readonly name: string },
  apiVersion: string,
  kind: string,
  { targetReplicas }: CronRule,
  client: Client,
): Promise<void> {
  const resource = await client.mapper.forKind({ ...parseApiVersion(apiVersion), kind });
  // A cluster-scoped object is found whatever the namespace, and this client has more rights than the user.
  if (!resource?.namespaced) throw new ExpectedError(`no matches for kind "${kind}" in version "${apiVersion}"`);
  if (targetReplicas === undefined)
    throw new ExpectedError(`targetReplicas cannot be nil if you want to scale ${kind}`);
  const current = (await client.get(resource, key, { subresource: 'scale' })) as Scale;
  if ((current.spec?.replicas ?? 0) === targetReplicas) return;
  const patch = { spec: { replicas: targetReplicas } };
  await client.patch(resource, key, { type: 'merge', patch }, { subresource: 'scale' });
}
