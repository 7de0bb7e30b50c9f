/** What users with rights to one namespace can reach in members, in every mode of `--tenant-boundaries`. */
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
    await t.test('override policies', t => overridesStay(t, world));
    await t.test('changes of override policies', t => updatesAreJudged(t, world));
    await t.test('overrides that stay, and those of administrators', t => othersGoOn(t, world));
    if (mode === 'enforce') await t.test('a refused override that goes', t => refusalsHeal(t, world));
    await t.test('bindings', t => bindingsStay(t, world));
    await t.test("an administrator's binding", t => foreignBindingsAreGuarded(t, world));
    await t.test("the id of somebody else's binding", t => bindingIdsAreNoKeys(t, world));
    await t.test("Works with somebody else's marks", t => worksOfTenantsAreNobodys(t, world));
    await t.test('selectors of other namespaces', t => policiesSelectAtHome(t, world));
    await t.test('clusters', t => joinedClustersAreGuarded(t, world));
    await t.test('new clusters', t => clustersStay(t, world));
  });
