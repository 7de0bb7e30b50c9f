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
      'The addresses of the load balancer.',
      item({
        hostname: text('A DNS name.'),
        ip: text('An IP address.'),
        ...more,
        ports: list(
          'The state of the ports of the load balancer.',
          item({
            'error!': text('The error of the port.', qualifiedName),
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
      schema: kindSchema('Routes requests from outside to Services in several clusters.', {
        spec: {
          ...nativeBlock('io.k8s.api.networking.v1.IngressSpec'),
          description: 'The fields of the spec of an Ingress of networking.k8s.io/v1.',
        },
        'status=': struct('The observed state.', {
          'loadBalancer=': loadBalancer({}),
          serviceLocations: list(
            'The clusters of the Services behind the ingress.',
            item({ clusters: texts('The clusters.'), 'name!': text('The name of the service.') }),
          ),
          trafficBlockClusters: texts('The clusters that receive no requests.'),
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
          'The provider and consumer clusters, the ports and the types of the access.',
          {
            'types!': texts(
              'CrossCluster: the Service is reachable from other clusters. LoadBalancer: it is reachable from outside.',
            ),
            ports: list(
              'The ports that are exposed. Empty: all.',
              item({ name: text('The name of the port of the Service.'), 'port!': int32('The number of the port.') }),
            ),
            'range=': clusterNames('Deprecated: use providerClusters and consumerClusters.'),
            serviceProvisionClusters: texts('Deprecated: use providerClusters.'),
            serviceConsumptionClusters: texts('Deprecated: use consumerClusters.'),
            providerClusters: nameOnly('The clusters that provide the Service. Empty: all.'),
            consumerClusters: nameOnly('The clusters that consume the Service. Empty: all.'),
          },
          { typeName: 'v1alpha1.MultiClusterServiceSpec' },
        ),
        'status=': struct('The observed state.', {
          conditions: conditions(
            'ServiceApplied: the Service is applied in its clusters. EndpointSliceDispatched: its EndpointSlices are dispatched to the consumers.',
            byType,
          ),
          'loadBalancer=': loadBalancer({
            ipMode: text('The way in which requests to the address arrive: VIP or Proxy.'),
          }),
        }),
      }),
      subresources: 'status',
    },
  ],
};
