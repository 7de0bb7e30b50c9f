import { repeatedly } from '../../lib/logging/failure-state.js';
import type { Registry } from 'prom-client';
import { followPolicy } from '../../authn/access/follow.js';
import { createDynamic } from '../../registry/dynamic/dynamic.js';
import { removerOf } from '../../registry/dynamic/remover.js';
import { webhookConversion } from '../../registry/dynamic/conversion/webhook-conversion.js';
import { karmadaConversion } from '../../kinds/karmada/work/binding-conversion.js';
import { apiServiceMetrics } from '../../apiserver/metrics/api-service-metrics.js';
import type { ServerConfig } from '../config.js';
import { type Core, serverUser } from '../core.js';
import type { InformerSync } from '../../apiserver/paths/health-checks.js';
import type { StartSteps, StartStep } from './start-steps.js';

interface FollowDeps {
  /** Counts the watched objects. */
  readonly metrics: Registry;
  readonly steps: StartSteps;
  readonly informers: InformerSync;
  readonly signal: AbortSignal;
}

const admissionKinds = [
  '*v1.MutatingAdmissionPolicy',
  '*v1.MutatingAdmissionPolicyBinding',
  '*v1.MutatingWebhookConfiguration',
  '*v1.ValidatingAdmissionPolicy',
  '*v1.ValidatingAdmissionPolicyBinding',
  '*v1.ValidatingWebhookConfiguration',
];

/** Watches the objects that determine rights and kinds; resolves when all are up to date. */
export async function followState(
  { log }: ServerConfig,
  core: Core,
  { metrics, steps, informers, signal }: FollowDeps,
): Promise<void> {
  const { client, catalogue, pipeline } = core;
  const reportPolicyError = repeatedly(log, 'RBAC rules cannot be watched');
  const reportDefinitionError = repeatedly(log, 'a CustomResourceDefinition cannot be served', 0);
  const following = followPolicy(core.authn.policy, {
    ...{ client, signal },
    onError: (resource, error) => reportPolicyError(error, resource, { resource }),
  });
  const dynamic = createDynamic({
    ...{ catalogue, client, signal },
    remover: removerOf(pipeline, serverUser),
    servers: core.aggregator,
    observe: apiServiceMetrics(metrics),
    convert: crd => karmadaConversion(crd.metadata.name ?? '') ?? webhookConversion(crd, core.callWebhook),
    onError: (error, name) => reportDefinitionError(error, name, { definition: name }),
  });
  const each: readonly [step: StartStep, kinds: readonly string[], synced: Promise<void>][] = [
    ['policy', ['*v1.ClusterRole', '*v1.ClusterRoleBinding', '*v1.Role', '*v1.RoleBinding'], following.synced],
    ['admission', admissionKinds, core.admissionReady],
    ['definitions', ['*v1.CustomResourceDefinition'], dynamic.ready],
    ['apiServices', ['*v1.APIService'], dynamic.apiServicesReady],
  ];
  await Promise.all(
    each.map(async ([step, kinds, synced]) => {
      await Promise.all(kinds.map(kind => informers.watch(kind, synced)));
      steps.done(step);
    }),
  );
  steps.done('described');
  steps.done('stored');
}
