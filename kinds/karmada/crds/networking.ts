/** Defines networking.karmada.io MultiClusterIngress and MultiClusterService. */
import type { Schema } from '../../../apimachinery/codec/interface.js';
import { type CustomResource, kindSchema } from './custom-resource.js';
import { nativeBlock } from './native-block.js';
import { int32, item, list, struct, text, texts } from './schema.js';
import { byType, clusterNames, conditions, nameOnly, qualifiedName } from './shared.js';

const atomic = { 'x-kubernetes-list-type': 'atomic' } as const;

/** The addresses of a load balancer; `more`: the fields that only those of Services have. */
const loadBalancer = (more: Readonly<Record<string, Schema>>): Schema =>
  struct('The load balancer.', {
    ingress: list(
      'Its addresses.',
      item({
        hostname: text('A DNS name.'),
        ip: text('An IP address.'),
        ...more,
        ports: list(
          'The state of its ports.',
          item({
            'error!': text('What is wrong with the port.', qualifiedName),
            'port!': int32('The number of the port.'),
            'protocol!': text('TCP, UDP or SCTP.'),
          }),
          atomic,
        ),
      }),
      atomic,
    ),
  });

export const multiClusterIngress: CustomResource = {
  group: 'networking.karmada.io',
  kind: 'MultiClusterIngress',
  plural: 'multiclusteringresses',
  shortName: 'mci',
  scope: 'Namespaced',
  versions: [
    {
      name: 'v1alpha1',
      schema: kindSchema('Leads requests from outside to services in several clusters.', {
        spec: {
          ...nativeBlock('io.k8s.api.networking.v1.IngressSpec'),
          description: 'As the spec of an Ingress of networking.k8s.io/v1.',
        },
        'status=': struct('What became of it.', {
          'loadBalancer=': loadBalancer({}),
          serviceLocations: list(
            'Where the services behind it are.',
            item({ clusters: texts('The clusters.'), 'name!': text('The name of the service.') }),
          ),
          trafficBlockClusters: texts('The clusters that get no requests.'),
        }),
      }),
      subresources: 'status',
    },
  ],
};

export const multiClusterService: CustomResource = {
  group: 'networking.karmada.io',
  kind: 'MultiClusterService',
  plural: 'multiclusterservices',
  shortName: 'mcs',
  scope: 'Namespaced',
  versions: [
    {
      name: 'v1alpha1',
      schema: kindSchema('Makes the Service of the same name reachable across clusters.', {
        'spec!': struct(
          'Between which clusters, and how.',
          {
            'types!': texts('CrossCluster: clusters reach each other. LoadBalancer: reachable from outside.'),
            ports: list(
              'The ports that are made reachable. Empty: all.',
              item({ name: text('The name of the port in the service.'), 'port!': int32('Its number.') }),
            ),
            'range=': clusterNames('Deprecated: use providerClusters and consumerClusters.'),
            serviceProvisionClusters: texts('Deprecated: use providerClusters.'),
            serviceConsumptionClusters: texts('Deprecated: use consumerClusters.'),
            providerClusters: nameOnly('The clusters that have the service. Empty: all.'),
            consumerClusters: nameOnly('The clusters that reach the service. Empty: all.'),
          },
          { typeName: 'v1alpha1.MultiClusterServiceSpec' },
        ),
        'status=': struct('What became of it.', {
          conditions: conditions(
            'ServiceApplied: the service stands in its clusters. EndpointSliceDispatched: its addresses are known there.',
            byType,
          ),
          'loadBalancer=': loadBalancer({ ipMode: text('How requests to the address arrive: VIP or Proxy.') }),
        }),
      }),
      subresources: 'status',
    },
  ],
};
