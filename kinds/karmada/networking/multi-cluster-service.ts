/** Fills in and validates MultiClusterServices. as pkg/webhook/multiclusterservice */
import type { KubeObject } from '../../../apimachinery/interface.js';
import { semanticEqual } from '../../../lib/json/equality.js';
import { checkDns1035Label } from '../../../apimachinery/meta/names.js';
import { metadataFaults, metadataUpdateFaults } from '../../../registry/strategy/metadata.js';
import { nameRuleOf } from '../../../registry/strategy/strategy.js';
import type { Field } from '../../shared/rules/field.js';
import { dnsLabel } from '../../shared/rules/name-rules.js';
import { portNumber } from '../../shared/rules/port-rules.js';
import { clusterName } from '../clusters/cluster-rules.js';
import { loadBalancer } from './load-balancer-rules.js';
import { ruleRefusal } from '../refusal.js';
import type { Mutate, WebhookRule } from '../rules.js';
import { labels } from '../../../api/karmada/well-known.js';

interface MultiClusterService extends KubeObject {
  spec: {
    types: string[];
    ports?: { name?: string; port: number }[];
    range?: { clusterNames?: string[] };
    serviceProvisionClusters?: string[];
    serviceConsumptionClusters?: string[];
    providerClusters?: { name: string }[];
    consumerClusters?: { name: string }[];
  };
  status?: { loadBalancer?: { ingress?: { ip?: string; hostname?: string }[] } };
}

/** Gives the service its ID, as a label, unless it has one. */
export const completeMultiClusterService: Mutate<MultiClusterService> = ({ metadata }, _old, { newId }) => {
  (metadata.labels ??= {})[labels.multiClusterServiceId] ||= newId();
};

function ports(list: Field<{ name?: string; port: number }[]>): void {
  const seen = new Set<string>();
  for (const port of list.items()) {
    const name = port.at('name');
    if (!name.isEmpty) {
      dnsLabel(name);
      if (seen.has(name.value ?? '')) name.duplicate();
      seen.add(name.value ?? '');
    }
    portNumber(port.at('port'));
  }
}

function types(list: Field<string[]>): void {
  for (const type of list.items())
    if (type.value !== 'CrossCluster' && type.value !== 'LoadBalancer') type.invalid('ExposureType Error', type.value);
  if (new Set(list.value).size > 1) list.invalid('MultiClusterService types should not contain more than one type');
}

function clusters(spec: Field<MultiClusterService['spec']>): void {
  for (const field of ['providerClusters', 'consumerClusters'] as const)
    // The paths are upstream's: the fields were once inside the range.
    for (const cluster of spec.at(field).as(`spec.range.${field}`).items())
      clusterName(cluster.at('name').as(cluster.path));
}

/** Refuses a change of the types, and faulty ports and clusters. as pkg/webhook/multiclusterservice ValidatingAdmission.Handle */
export const validateMultiClusterService: WebhookRule<MultiClusterService> = (object, old) =>
  ruleRefusal<MultiClusterService>(object, root => {
    const spec = root.at('spec');
    if (old) {
      root.add(...metadataUpdateFaults(object.metadata, old.metadata));
      if (!semanticEqual(old.spec.types, object.spec.types))
        spec.at('types').invalid('MultiClusterService types are immutable', old.spec.types);
    }
    root.add(...metadataFaults(object.metadata, { namespaced: true, nameFaults: nameRuleOf(checkDns1035Label) }));
    ports(spec.at('ports'));
    types(spec.at('types'));
    clusters(spec);
    if (old) loadBalancer(root.at('status').at('loadBalancer'));
  });
