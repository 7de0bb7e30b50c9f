/** A manifest that the member refuses to create. */
import t from 'tap';
import { forbidden, internal, type StatusError } from '../../../apimachinery/errors/status.js';
import { nativeInterpreter } from '../../../controllers/interpreter/native/native.js';
import { applyManifest, type MemberObject } from '../../../controllers/work/apply.js';
import { object } from '../../aggregation/fleet.js';

const manifest = object('v1', 'ConfigMap', 'settings', { metadata: { namespace: 'default' } });

const memberThat = (refusal: StatusError, lookup: () => Promise<never>): MemberObject =>
  ({
    cluster: 'member1',
    member: { client: { create: () => Promise.reject(refusal), get: lookup } },
    resource: { group: '', version: 'v1', resource: 'configmaps', kind: 'ConfigMap' },
    series: { created: () => undefined, updated: () => undefined },
    onAnswer: () => undefined,
  }) as unknown as MemberObject;

t.test('the refusal of a creation is shown although the object cannot be looked for', async t => {
  const refusal = forbidden({ group: '', resource: 'configmaps' }, 'settings', 'exceeded quota');
  const lookup = () => Promise.reject(internal('the account may not read'));
  await t.rejects(applyManifest(manifest, memberThat(refusal, lookup), nativeInterpreter), refusal);
});
