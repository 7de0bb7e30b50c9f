/** Manifests of the applications of these tests. */
import { customKind, definitionsPath, listMap, object, set, text, version, whole } from '../custom-kinds.js';

export const deployment = (more: object = {}) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'default', labels: { app: 'web' } },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: {
        containers: [
          {
            name: 'web',
            image: 'nginx:1.27',
            env: [
              { name: 'A', value: '1' },
              { name: 'B', value: '2' },
              { name: 'C', value: '3' },
            ],
            ports: [{ containerPort: 80, name: 'http' }],
            volumeMounts: [{ name: 'data', mountPath: '/data' }],
          },
        ],
        volumes: [{ name: 'data', emptyDir: {} }],
      },
    },
    ...more,
  },
});

export const service = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'web', namespace: 'default' },
  spec: {
    selector: { app: 'web' },
    ports: [
      { name: 'http', port: 80, targetPort: 8080 },
      { name: 'https', port: 443, targetPort: 8443 },
    ],
  },
};

const parts = listMap(['name', 'kind'], { name: text, kind: { ...text, default: 'plain' }, count: whole });
const widgetSpec = object({
  size: { ...whole, default: 1 },
  color: text,
  options: { type: 'object', additionalProperties: text },
  parts,
  tags: set(text),
  steps: { type: 'array', items: text },
});

export const widgets = customKind('Widget', [version('v1', object({ spec: widgetSpec }))]);

export const widget = (spec: object) => ({
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: { name: 'one', namespace: 'default' },
  spec,
});

export const paths = {
  crds: definitionsPath,
  deployments: '/apis/apps/v1/namespaces/default/deployments',
  services: '/api/v1/namespaces/default/services',
  secrets: '/api/v1/namespaces/default/secrets',
  configMaps: '/api/v1/namespaces/default/configmaps',
  widgets: '/apis/example.com/v1/namespaces/default/widgets',
} as const;
