/** What users with permissions in one namespace can reach in members, in every mode of `--tenant-boundaries`. */
import t from 'tap';
import { tenantBoundaryModes } from '../../../kinds/karmada/tenant-boundaries.js';
import {
  bindingIdsAreNoKeys,
  bindingsStay,
  foreignBindingsAreGuarded,
  policiesSelectAtHome,
  worksOfTenantsAreNobodys,
} from './bindings.js';
import { clustersStay, joinedClustersAreGuarded } from './clusters.js';
import { othersGoOn, overridesStay, refusalsHeal, updatesAreJudged } from './overrides.js';
import { startWorld } from './world.js';

for (const mode of tenantBoundaryModes)
  t.test(`--tenant-boundaries=${mode}`, async t => {
    const world = await startWorld(t, mode);
    await t.test('override policies cannot change the identity of objects', t => overridesStay(t, world));
    await t.test('updates of override policies are validated', t => updatesAreJudged(t, world));
    await t.test('valid overrides and those of administrators are applied', t => othersGoOn(t, world));
    if (mode === 'enforce')
      await t.test('a binding is applied after a refused override is deleted', t => refusalsHeal(t, world));
    await t.test('bindings cannot name other namespaces', t => bindingsStay(t, world));
    await t.test('a binding of an administrator is protected', t => foreignBindingsAreGuarded(t, world));
    await t.test('a copied binding id gives no access', t => bindingIdsAreNoKeys(t, world));
    await t.test('Works outside of cluster namespaces are ignored', t => worksOfTenantsAreNobodys(t, world));
    await t.test('policies cannot select other namespaces', t => policiesSelectAtHome(t, world));
    await t.test('the server of a joined cluster is protected', t => joinedClustersAreGuarded(t, world));
    await t.test('a new cluster cannot use the Secret of another one', t => clustersStay(t, world));
  });
