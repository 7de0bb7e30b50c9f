import type { KubeObject } from '../../openapi/interface.js';
import type { EventRecorder } from '../runtime/interface.js';
import type { OverrideReport } from './interface.js';

/** Tells the owner of a template which policies changed what goes to a cluster, and which could not (OBS-020). */
export const overrideEvents =
  (recorder: EventRecorder, template: KubeObject, cluster: string): OverrideReport =>
  ({ kind, metadata: { namespace, name } }, succeeded) => {
    const policy =
      kind === 'ClusterOverridePolicy' ? `cluster override policy(${name})` : `override policy(${namespace}/${name})`;
    const [type, reason, outcome] = succeeded
      ? (['Normal', 'ApplyOverridePolicySucceed', 'succeed'] as const)
      : (['Warning', 'ApplyOverridePolicyFailed', 'failed'] as const);
    recorder.event(template, type, reason, `Apply ${policy} for cluster(${cluster}) ${outcome}.`);
  };
