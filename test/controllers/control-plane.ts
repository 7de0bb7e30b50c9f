/** A control plane with its controllers, its scheduler and one simulated member, in this process. */
import type { Test } from 'tap';
import { silent } from '../../apiserver/main/logger.js';
import { karmadaControllers } from '../../cli/parts/karmada-controllers.js';
import { kubernetesControllers } from '../../cli/parts/kubernetes-controllers.js';
import { simulatedMembers } from '../../cli/parts/members.js';
import { scheduler } from '../../cli/parts/scheduler.js';
import type { GroupVersionResource, KubeObject } from '../../openapi/interface.js';
import { find } from '../../controllers/runtime/update.js';
import { runningServer, temporaryFolder, type TestServer } from '../apiserver/running.js';
import { until } from '../storage/until.js';

const all = (): boolean => true;

export async function controlPlane(t: Test): Promise<TestServer> {
  const directory = await temporaryFolder(t);
  const members = simulatedMembers({ count: 1, directory, host: '127.0.0.1', port: 0 }, silent);
  return runningServer(t, {
    parts: [kubernetesControllers(all), karmadaControllers(all), scheduler(all), members.part],
  });
}

/** The object, once it is there and `holds` says so of it. */
export async function comesAbout(
  { client }: TestServer,
  resource: GroupVersionResource,
  key: { readonly namespace?: string; readonly name: string },
  holds: (object: KubeObject) => boolean = () => true,
): Promise<KubeObject> {
  let found: KubeObject | undefined;
  await until(`${resource.resource} ${key.namespace ?? ''}/${key.name}`, async () => {
    found = await find(client, resource, key);
    return found !== undefined && holds(found);
  });
  if (!found) throw new Error('not reached');
  return found;
}
