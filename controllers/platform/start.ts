import type { Catalogue } from '../../registry/interface.js';
import type { ControllerContext } from '../../client/runtime/interface.js';
import { isDeletable, mirrorResources } from '../../client/runtime/mirrors/mirrors.js';
import { startClusterRoleAggregation } from './cluster-role-aggregation.js';
import { startGarbageCollector } from './garbage-collector.js';
import { startNamespaceController } from './namespace.js';
import { startPolicyStatus } from './policy-status.js';
import { startServiceAccountTokens, type TokenAuthority } from './service-account-tokens.js';
import { startTtlAfterFinished } from './ttl-after-finished.js';

/** The controllers, by their names in kube-controller-manager. */
export const platformControllers = [
  'namespace-controller',
  'garbage-collector-controller',
  'clusterrole-aggregation-controller',
  'ttl-after-finished-controller',
  'serviceaccount-token-controller',
  'validatingadmissionpolicy-status-controller',
] as const;

type PlatformController = (typeof platformControllers)[number];

/** Starts the controllers of kube-controller-manager that every API server needs. Events are not mirrored: they own nothing and expire. */
export async function startPlatformControllers(
  context: ControllerContext,
  tokens: TokenAuthority,
  catalogue: Catalogue,
  enabled: (name: PlatformController) => boolean,
): Promise<void> {
  if (enabled('clusterrole-aggregation-controller')) startClusterRoleAggregation(context);
  if (enabled('serviceaccount-token-controller')) startServiceAccountTokens(context, tokens);
  if (enabled('ttl-after-finished-controller')) startTtlAfterFinished(context);
  if (enabled('validatingadmissionpolicy-status-controller')) startPolicyStatus(context, catalogue);
  if (!enabled('namespace-controller') && !enabled('garbage-collector-controller')) return;
  const mirrors = await mirrorResources(context, {
    wants: resource => isDeletable(resource) && resource.kind !== 'Event',
  });
  if (enabled('namespace-controller')) startNamespaceController(context, mirrors);
  if (enabled('garbage-collector-controller')) startGarbageCollector(context, mirrors);
}
