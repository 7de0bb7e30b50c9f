import type { KubeObject } from '../../apimachinery/interface.js';
import type { EventRecorder } from '../../client/runtime/interface.js';
import type { OverrideReport } from './interface.js';

/** Records Events: the applied and failed policies on the template, and crossed tenant boundaries on template and binding. */
export const overrideEvents = (
  recorder: EventRecorder,
  { template, binding }: { readonly template: KubeObject; readonly binding: KubeObject },
  cluster: string,
): OverrideReport => ({
  ruled({ kind, metadata: { namespace, name } }, succeeded) {
    const policy =
      kind === 'ClusterOverridePolicy' ? `cluster override policy(${name})` : `override policy(${namespace}/${name})`;
    const [type, reason, outcome] = succeeded
      ? (['Normal', 'ApplyOverridePolicySucceed', 'succeed'] as const)
      : (['Warning', 'ApplyOverridePolicyFailed', 'failed'] as const);
    recorder.event(template, type, reason, `Apply ${policy} for cluster(${cluster}) ${outcome}.`);
  },
  crossed(text) {
    for (const about of [binding, template]) recorder.event(about, 'Warning', 'TenantBoundaryCrossed', text);
  },
});
