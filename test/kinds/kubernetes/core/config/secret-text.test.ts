import t from 'tap';
import type { KubeObject } from '../../../../../apimachinery/interface.js';
import { secretText } from '../../../../../kinds/kubernetes/core/config/secret-text.js';

const secret = (data: unknown): KubeObject => ({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, data });

t.test('the text under a key of a Secret is decoded', async t => {
  const rows: readonly { readonly given: KubeObject | undefined; readonly expect: string | undefined }[] = [
    { given: secret({ token: 'w7xiZXI=' }), expect: 'über' },
    { given: secret({ token: '' }), expect: '' },
    { given: secret({ other: 'YQ==' }), expect: undefined },
    { given: secret({}), expect: undefined },
    { given: secret(null), expect: undefined },
    { given: secret(undefined), expect: undefined },
    { given: secret('token'), expect: undefined },
    { given: secret({ token: 7 }), expect: undefined },
    { given: secret({ token: null }), expect: undefined },
    { given: { ...secret({}), stringData: { token: 'plain' } }, expect: undefined },
    { given: undefined, expect: undefined },
  ];
  for (const { given, expect } of rows) t.equal(secretText(given, 'token'), expect, JSON.stringify(given?.['data']));
});

t.test('what objects inherit is no key', async t => {
  t.equal(secretText(secret({}), 'constructor'), undefined);
  t.equal(secretText(secret({ constructor: 'YQ==' }), 'constructor'), 'a');
});
