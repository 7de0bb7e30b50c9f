import t from 'tap';
import type { Deployment, DeploymentSpec } from '../../../openapi/gen/apps-v1.js';
import type { CustomResourceDefinition } from '../../../openapi/gen/apiextensions-v1.js';
import type { Pod } from '../../../openapi/gen/core-v1.js';
import type { KubeObject } from '../../../apimachinery/interface.js';

t.test('the compiler accepts and refuses objects of generated types', async t => {
  const spec: DeploymentSpec = {
    replicas: 1,
    selector: { matchLabels: { app: 'a' } },
    template: { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'a', image: 'a' }] } },
  };
  const deployment: Deployment = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'a' }, spec };
  const object: KubeObject = deployment;
  const back = object as Deployment;
  t.equal(back.spec?.template.spec?.containers[0]?.name, 'a');

  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {},
    spec: {
      containers: [{ name: 'a', resources: { limits: { cpu: '1', memory: 5 } }, ports: [{ containerPort: 1 }] }],
    },
    status: { startTime: '2026-01-01T00:00:00Z' },
  } satisfies Pod;
  t.equal(pod.spec.containers[0]?.resources.limits.memory, 5);

  // @ts-expect-error: an image is a string
  const wrong: Pod = { apiVersion: 'v1', kind: 'Pod', metadata: {}, spec: { containers: [{ name: 'a', image: 1 }] } };
  // @ts-expect-error: there is no such field
  t.equal(wrong.specs, undefined);

  const schema = (crd: CustomResourceDefinition) =>
    crd.spec.versions[0]?.schema?.openAPIV3Schema?.properties?.spec?.type;
  t.type(schema, 'function');
});
