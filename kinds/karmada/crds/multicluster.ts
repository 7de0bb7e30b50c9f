/** Defines multicluster.x-k8s.io ServiceExport and ServiceImport. */
import { ageColumn, type CustomResource, kindSchema } from './custom-resource.js';
import { int32, item, list, oneOf, struct, text, texts } from './schema.js';
import { byType, conditions } from './shared.js';

export const serviceExport: CustomResource = {
  group: 'multicluster.x-k8s.io',
  kind: 'ServiceExport',
  plural: 'serviceexports',
  shortName: 'svcex',
  scope: 'Namespaced',
  uncategorized: true,
  versions: [
    {
      name: 'v1alpha1',
      schema: kindSchema('Offers the Service of the same name to the other clusters.', {
        'status=': struct('What became of it.', {
          conditions: conditions('Valid: the service can be offered. Conflict: others offer another one.', byType),
        }),
      }),
      columns: [ageColumn('Age')],
      subresources: 'status',
    },
  ],
};

export const serviceImport: CustomResource = {
  group: 'multicluster.x-k8s.io',
  kind: 'ServiceImport',
  plural: 'serviceimports',
  shortName: 'svcim',
  scope: 'Namespaced',
  uncategorized: true,
  versions: [
    {
      name: 'v1alpha1',
      schema: kindSchema('A service that other clusters offer.', {
        spec: struct('How it is reached.', {
          ips: texts('Its virtual address.', { maxItems: 1 }),
          'ports!': list(
            'Its ports.',
            item({
              appProtocol: text('The protocol of the application, as of a Service.'),
              name: text('The name of the port.'),
              'port!': int32('Its number.'),
              protocol: text('TCP (the default), UDP or SCTP.'),
            }),
            { 'x-kubernetes-list-type': 'atomic' },
          ),
          sessionAffinity: text('ClientIP: requests of one client go to one place. None: anywhere.'),
          sessionAffinityConfig: struct('Details of the affinity.', {
            clientIP: struct('Of ClientIP.', { timeoutSeconds: int32('How long a client keeps its place.') }),
          }),
          'type!': oneOf('ClusterSetIP: one address for all. Headless: the addresses of the pods.', [
            'ClusterSetIP',
            'Headless',
          ]),
        }),
        'status=': struct('What became of it.', {
          clusters: list(
            'The clusters that offer the service.',
            item({ 'cluster!': text('The name of the cluster.') }),
            {
              'x-kubernetes-list-map-keys': ['cluster'],
              'x-kubernetes-list-type': 'map',
            },
          ),
        }),
      }),
      columns: [
        { name: 'Type', type: 'string', jsonPath: '.spec.type', description: 'How the service is reached' },
        { name: 'IP', type: 'string', jsonPath: '.spec.ips', description: 'The virtual address of the service' },
        ageColumn('Age'),
      ],
      subresources: 'status',
    },
  ],
};
