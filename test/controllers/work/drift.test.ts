/** What counts as a change of an object in a member. */
import t from 'tap';
import type { KubeObject } from '../../../apimachinery/interface.js';
import { revisionAnnotation, serviceAccountUidAnnotation } from '../../../api/kubernetes/well-known.js';
import { drifted } from '../../../controllers/work/drift.js';

const deployment: KubeObject = {
  ...{ apiVersion: 'apps/v1', kind: 'Deployment' },
  metadata: { name: 'a', namespace: 'default', uid: 'u', resourceVersion: '1', generation: 1, labels: { app: 'a' } },
  spec: { replicas: 1 },
  status: {},
};
const token: KubeObject = {
  ...{ apiVersion: 'v1', kind: 'Secret', type: 'kubernetes.io/service-account-token' },
  metadata: { name: 't', annotations: { [serviceAccountUidAnnotation]: 'u' } },
  data: { token: 'YQ==' },
};
const changed = (object: KubeObject, metadata: object, more: object = {}): KubeObject => ({
  ...object,
  ...more,
  metadata: { ...object.metadata, ...metadata },
});

const table: { name: string; old: KubeObject; next: KubeObject; expect: boolean }[] = [
  {
    name: 'a status is none',
    old: deployment,
    next: changed(deployment, { resourceVersion: '2' }, { status: { replicas: 1 } }),
    expect: false,
  },
  {
    name: 'the revision that the controller of Deployments notes is none',
    old: deployment,
    next: changed(deployment, { annotations: { [revisionAnnotation]: '1' } }),
    expect: true, // It has no annotations before, and an empty map of them after.
  },
  {
    name: 'another revision is none',
    old: changed(deployment, { annotations: { a: 'b', [revisionAnnotation]: '1' } }),
    next: changed(deployment, { annotations: { a: 'b', [revisionAnnotation]: '2' } }, { status: { replicas: 1 } }),
    expect: false,
  },
  { name: 'a generation alone is none', old: deployment, next: changed(deployment, { generation: 2 }), expect: false },
  { name: 'a label is one', old: deployment, next: changed(deployment, { labels: { app: 'b' } }), expect: true },
  { name: 'a label less is one', old: deployment, next: changed(deployment, { labels: undefined }), expect: true },
  {
    name: 'a specification is one',
    old: deployment,
    next: changed(deployment, { generation: 2 }, { spec: { replicas: 2 } }),
    expect: true,
  },
  {
    name: 'the uid of the account of a token is none',
    old: token,
    next: changed(token, { annotations: {} }),
    expect: false,
  },
  {
    name: 'the data of a token is none',
    old: token,
    next: changed(token, {}, { data: { token: 'Yg==' } }),
    expect: false,
  },
];

for (const { name, old, next, expect } of table)
  t.test(name, t => {
    t.equal(drifted(old, next), expect);
    t.end();
  });
