import type { Part } from '../../server/parts.js';
import { tokenAuthority } from '../../authn/identity/service-account/authority.js';
import { startPlatformControllers } from '../../controllers/platform/start.js';
import { componentContext } from '../../client/runtime/component.js';
import type { Enabled } from './names.js';

/** The controllers of kube-controller-manager that Karmada runs. */
export const kubernetesControllers = (enabled: Enabled): Part => ({
  name: 'kube-controller-manager',
  async start(part) {
    const context = componentContext(part, 'kube-controller-manager');
    await startPlatformControllers(context, tokenAuthority(part.pki), part.catalogue, enabled);
    return { stop: () => context.finished() };
  },
});
