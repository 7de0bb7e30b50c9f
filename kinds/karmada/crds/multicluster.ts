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
      schema: kindSchema('Exports the Service of the same name to the other clusters.', {
        'status=': struct('The observed state.', {
          conditions: conditions(
            'Valid: the Service can be exported. Conflict: another cluster exports a conflicting Service.',
            byType,
          ),
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
      schema: kindSchema('A Service that is imported from other clusters.', {
        spec: struct('The addresses, ports and type of the Service.', {
          ips: texts('The virtual IP address of the Service.', { maxItems: 1 }),
          'ports!': list(
            'The ports of the Service.',
            item({
              appProtocol: text('The application protocol, as the appProtocol of a Service.'),
              name: text('The name of the port.'),
              'port!': int32('The number of the port.'),
              protocol: text('TCP (the default), UDP or SCTP.'),
            }),
            { 'x-kubernetes-list-type': 'atomic' },
          ),
          sessionAffinity: text('ClientIP: requests of one client go to the same endpoint. None: to any endpoint.'),
          sessionAffinityConfig: struct('The configuration of the session affinity.', {
            clientIP: struct('The configuration of the affinity ClientIP.', {
              timeoutSeconds: int32('The seconds for which a client keeps its endpoint.'),
            }),
          }),
          'type!': oneOf('ClusterSetIP: one address for all. Headless: the addresses of the pods.', [
            'ClusterSetIP',
            'Headless',
          ]),
        }),
        'status=': struct('The observed state.', {
          clusters: list(
            'The clusters that export the Service.',
            item({ 'cluster!': text('The name of the cluster.') }),
            {
              'x-kubernetes-list-map-keys': ['cluster'],
              'x-kubernetes-list-type': 'map',
            },
          ),
        }),
      }),
      columns: [
        { name: 'Type', type: 'string', jsonPath: '.spec.type', description: 'The type of the service' },
        { name: 'IP', type: 'string', jsonPath: '.spec.ips', description: 'The virtual address of the service' },
        ageColumn('Age'),
      ],
      subresources: 'status',
    },
  ],
};
