import t from 'tap';
import { convertibility, internalConvertibility } from '../../../openapi/facts/convertibility.js';

const deployment = { group: 'apps', kind: 'Deployment' };

t.test('a kind of another type cannot be converted, with the message of kube-apiserver', async t => {
  const scheme = 'in scheme "pkg/api/legacyscheme/scheme.go:30"';
  const rows: readonly (readonly [apiVersion: string, kind: string, expect: string])[] = [
    ['apps/v1beta1', 'Deployment', 'version'],
    ['extensions/v1beta1', 'Deployment', 'version'],
    ['apps/v1beta3', 'Deployment', `no kind "Deployment" is registered for version "apps/v1beta3" ${scheme}`],
    ['a/b/c', 'Deployment', `no kind "Deployment" is registered for version "a/b/c" ${scheme}`],
    [
      'apiregistration.k8s.io/v1',
      'APIService',
      `no kind "APIService" is registered for version "apiregistration.k8s.io/v1" ${scheme}`,
    ],
    ['v1', 'Secret', 'converting (v1.Secret) to (apps.Deployment): unknown conversion'],
  ];
  for (const [apiVersion, kind, expect] of rows) {
    const found = convertibility({ apiVersion, kind }, deployment);
    t.equal(found.type === 'version' ? found.type : found.why, expect, `${apiVersion} ${kind}`);
  }
  const event = convertibility({ apiVersion: 'events.k8s.io/v1', kind: 'Event' }, { group: '', kind: 'Event' });
  t.strictSame(event, { type: 'version' });
});

t.test('a kind is looked up in the internal version', async t => {
  t.strictSame(internalConvertibility('Deployment', deployment, 'v1'), { type: 'version' });
  t.strictSame(internalConvertibility('Nothing', deployment, 'v1'), {
    type: 'unknown',
    why: 'no kind "Nothing" is registered for the internal version of group "apps" in scheme "pkg/api/legacyscheme/scheme.go:30"',
  });
  t.strictSame(internalConvertibility('ReplicaSet', deployment, 'v1'), {
    type: 'other',
    why: 'converting (apps.ReplicaSet) to (apps.Deployment): unknown conversion',
  });
});
