/** What the applications of these tests are made of. */
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

export const widgets = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'widgets', kind: 'Widget' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                properties: {
                  size: { type: 'integer', default: 1 },
                  color: { type: 'string' },
                  options: { type: 'object', additionalProperties: { type: 'string' } },
                  parts: {
                    type: 'array',
                    'x-kubernetes-list-type': 'map',
                    'x-kubernetes-list-map-keys': ['name', 'kind'],
                    items: {
                      type: 'object',
                      required: ['name'],
                      properties: {
                        name: { type: 'string' },
                        kind: { type: 'string', default: 'plain' },
                        count: { type: 'integer' },
                      },
                    },
                  },
                  tags: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
                  steps: { type: 'array', items: { type: 'string' } },
                },
              },
            },
          },
        },
      },
    ],
  },
};

export const widget = (spec: object) => ({
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: { name: 'one', namespace: 'default' },
  spec,
});

export const paths = {
  crds: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
  deployments: '/apis/apps/v1/namespaces/default/deployments',
  services: '/api/v1/namespaces/default/services',
  secrets: '/api/v1/namespaces/default/secrets',
  configMaps: '/api/v1/namespaces/default/configmaps',
  widgets: '/apis/example.com/v1/namespaces/default/widgets',
} as const;
