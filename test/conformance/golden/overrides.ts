import { overriding } from '../../../controllers/override/apply.js';
import { patchText } from '../../../controllers/override/patch-text.js';
import type { AppliedOverride } from '../../../controllers/override/interface.js';
import type { KubeObject } from '../../../apimachinery/interface.js';
import type { Cluster, OverridePolicy } from '../../../api/karmada/types.js';
import { listed } from '../../controllers/override/listed.js';
import { check, fails } from './check.js';

interface Input {
  readonly object: KubeObject;
  readonly policies: OverridePolicy[];
  readonly cluster: Cluster;
}

interface Output {
  readonly object: KubeObject;
  readonly clusterOverrides: AppliedOverride[] | null;
  readonly overrides: AppliedOverride[] | null;
  readonly error?: string;
}

const applyOverrides = overriding({ boundaries: 'enforce', patchText });

export const overrides = check<Input, Output>({
  area: 'overrides',
  part: 'manifests after policies',
  async compare({ object, cluster, policies }, output) {
    const run = () => applyOverrides(object, cluster, listed(policies));
    if (output.error) return { want: 'an error', got: (await fails(run)) ? 'an error' : 'none' };
    return {
      want: {
        object: output.object,
        clusterOverrides: output.clusterOverrides ?? [],
        overrides: output.overrides ?? [],
      },
      got: await run(),
    };
  },
});
