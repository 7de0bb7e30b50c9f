/** What users with permissions in one namespace can reach in members, in every mode of `--tenant-boundaries`. */
import t from 'tap';
import { tenantBoundaryModes } from '../../../kinds/karmada/tenant-boundaries.js';
import { checkCopiedIds, checkBindings, checkForeignBindings, checkPolicies, checkForgedWorks } from './bindings.js';
import { checkNewClusters, checkJoinedClusters } from './clusters.js';
import { checkAllowed, checkEscapes, checkRecovery, checkUpdates } from './overrides.js';
import { startWorld } from './world.js';

for (const mode of tenantBoundaryModes)
  t.test(`--tenant-boundaries=${mode}`, async t => {
    const world = await startWorld(t, mode);
    await t.test('override policies cannot change the identity of objects', t => checkEscapes(t, world));
    await t.test('updates of override policies are validated', t => checkUpdates(t, world));
    await t.test('valid overrides and those of administrators are applied', t => checkAllowed(t, world));
    if (mode === 'enforce')
      await t.test('a binding is applied after a refused override is deleted', t => checkRecovery(t, world));
    await t.test('bindings cannot name other namespaces', t => checkBindings(t, world));
    await t.test('a binding of an administrator is protected', t => checkForeignBindings(t, world));
    await t.test('a copied binding id gives no access', t => checkCopiedIds(t, world));
    await t.test('Works outside of cluster namespaces are ignored', t => checkForgedWorks(t, world));
    await t.test('policies cannot select other namespaces', t => checkPolicies(t, world));
    await t.test('the server of a joined cluster is protected', t => checkJoinedClusters(t, world));
    await t.test('a new cluster cannot use the Secret of another one', t => checkNewClusters(t, world));
  });
