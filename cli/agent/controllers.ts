import type { Members } from '../../aggregation/interface.js';
import { defaultMemoryLimit } from '../../aggregation/remote/limits.js';
import type { RenewableClient } from '../../aggregation/remote/renewable-client.js';
import { webhookCaller } from '../../aggregation/webhooks/caller.js';
import type { Cluster } from '../../api/karmada/types.js';
import { resources } from '../../api/karmada/well-known.js';
import type { ControllerContext } from '../../client/runtime/interface.js';
import { renewClusterLease } from '../../controllers/agent/cluster-lease.js';
import { memberContexts } from '../../controllers/members/member-contexts.js';
import { createMemberWatch } from '../../controllers/members/member-watch.js';
import { startMemberControllers } from '../parts/member-controllers.js';
import { startInterpreter } from '../parts/users-interpreter.js';
import { listingResolver } from './resolve-service.js';
import type { AgentSettings } from './settings.js';

/** Returns the one member of an agent, to which it is always connected. */
function onlyMember(cluster: string, client: RenewableClient, signal: AbortSignal, server: string): Members {
  const member = Promise.resolve({
    ...{ name: cluster, client, endpoint: { server }, signal },
    memoryLimit: defaultMemoryLimit,
  });
  return { connect: () => member, forget: () => Promise.resolve(), close: () => Promise.resolve() };
}

/**
 * Runs the controllers of karmada-controller-manager for the one cluster of an agent, until the signal of the context aborts. `context` mirrors only what
 * the agent may read. Resolves when all have ended.
 */
export async function runAgentControllers(
  context: ControllerContext & { finished(): Promise<void> },
  settings: AgentSettings,
  member: { readonly client: RenewableClient; readonly server: string },
): Promise<void> {
  const { cluster: name, enabled, probing, modelsResources, gates, lease } = settings;
  const { signal } = context;
  const serves = ({ metadata, spec }: Cluster): boolean => metadata.name === name && spec.syncMode === 'Pull';
  const webhooks = webhookCaller({ resolve: listingResolver(context.client), userAgent: 'karmada-agent' });
  const { interpreter, close } = await startInterpreter(context, webhooks.call);
  const connect = memberContexts(onlyMember(name, member.client, signal, member.server), context);
  const members = createMemberWatch(connect, settings.syncTimeoutMs);
  startMemberControllers(context, enabled, { members, serves, interpreter, probing, modelsResources, gates });
  const renewal = enabled('clusterStatus') ? renewClusterLease(context, { ...lease, cluster: name }) : undefined;
  await context.informers.informer(resources.clusters).synced;
  if (!signal.aborted) await new Promise(resolve => signal.addEventListener('abort', resolve, { once: true }));
  await Promise.all([renewal, context.finished(), close(), webhooks.close()]);
}
