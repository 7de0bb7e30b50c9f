import t from 'tap';
import { parseSkippedApis } from '../../../controllers/policy/skipped-apis.js';

t.test('the value of --skipped-propagating-apis', t => {
  const ingress = { group: 'networking.k8s.io', version: 'v1', kind: 'Ingress' };
  const secret = { group: '', version: 'v1', kind: 'Secret' };
  const rows: readonly { text: string; kind: typeof ingress; expect: boolean }[] = [
    { text: '', kind: secret, expect: false },
    { text: 'networking.k8s.io', kind: ingress, expect: true },
    { text: 'networking.k8s.io', kind: secret, expect: false },
    { text: 'networking.k8s.io/v1', kind: ingress, expect: true },
    { text: 'networking.k8s.io/v1beta1', kind: ingress, expect: false },
    { text: 'networking.k8s.io/v1/Ingress', kind: ingress, expect: true },
    { text: 'networking.k8s.io/v1/IngressClass,ingress', kind: ingress, expect: true },
    { text: 'networking.k8s.io/v1/IngressClass', kind: ingress, expect: false },
    { text: 'v1/ConfigMap,Secret', kind: secret, expect: true },
    { text: 'v1/ConfigMap', kind: secret, expect: false },
    { text: 'apps;v1/Secret;', kind: secret, expect: true },
  ];
  for (const { text, kind, expect } of rows)
    t.equal(parseSkippedApis(text).includes(kind), expect, `${text} ${kind.kind}`);
  t.throws(() => parseSkippedApis('a/b/c/d'), { message: 'invalid parameter: a/b/c/d' });
  t.end();
});
