import t from 'tap';
import { applyOverrides } from '../../../controllers/override/apply.js';
import type { AppliedOverride } from '../../../controllers/override/interface.js';
import type { KubeObject } from '../../../openapi/interface.js';
import type { Cluster, OverridePolicy } from '../../../registry/kinds/karmada/types.js';
import { golden } from '../../data.js';

interface Input {
  object: KubeObject;
  policies: OverridePolicy[];
  cluster: Cluster;
}

interface Output {
  object: KubeObject;
  clusterOverrides: AppliedOverride[] | null;
  overrides: AppliedOverride[] | null;
  error?: string;
}

t.test('manifests are overridden as in Karmada', async t => {
  for (const { name, input, output } of golden<Input, Output>('overrides').cases) {
    const { object, cluster, policies } = input;
    const before = JSON.stringify(object);
    if (output.error) t.throws(() => applyOverrides(object, cluster, policies), name);
    else {
      const result = applyOverrides(object, cluster, policies);
      const { clusterOverrides, overrides } = output;
      t.same(
        result,
        { object: output.object, clusterOverrides: clusterOverrides ?? [], overrides: overrides ?? [] },
        name,
      );
    }
    if (JSON.stringify(object) !== before) t.fail(`${name}: the input was changed`);
  }
});
