/** Which workloads are placed as a set of their components. */
import t from 'tap';
import type { SpreadConstraint } from '../../../api/karmada/types.js';
import { isComponentSet } from '../../../scheduler/place/component-set.js';
import { bindingSpec } from '../objects.js';

const by = (spreadByField: 'cluster' | 'region', minGroups?: number, maxGroups?: number): SpreadConstraint => ({
  spreadByField,
  ...(minGroups !== undefined && { minGroups }),
  ...(maxGroups !== undefined && { maxGroups }),
});

t.test('components are a set if they must all be in one cluster', async t => {
  const components = [{ name: 'a', replicas: 1 }];
  const setEstimators = [() => () => one()];
  function* one() {
    yield;
    return 1;
  }
  const spread = (...spreadConstraints: SpreadConstraint[]) =>
    bindingSpec({ components, placement: { spreadConstraints } });
  const rows = [
    { name: 'one cluster', spec: spread(by('cluster', 1, 1)), expect: true },
    {
      name: 'one cluster, among other constraints',
      spec: spread(by('region', 1, 1), by('cluster', 1, 1)),
      expect: true,
    },
    { name: 'up to two clusters', spec: spread(by('cluster', 1, 2)), expect: false },
    { name: 'at least two clusters', spec: spread(by('cluster', 2, 1)), expect: false },
    { name: 'one region', spec: spread(by('region', 1, 1)), expect: false },
    { name: 'no constraint', spec: bindingSpec({ components, placement: {} }), expect: false },
    { name: 'no placement', spec: bindingSpec({ components }), expect: false },
    { name: 'no components', spec: bindingSpec({ components: [] }), expect: false },
    { name: 'components that are not known', spec: bindingSpec(), expect: false },
  ];
  for (const { name, spec, expect } of rows) {
    t.equal(isComponentSet(spec, { setEstimators }), expect, name);
    t.notOk(isComponentSet(spec, {}), `${name}, without estimators of sets`);
  }
});
