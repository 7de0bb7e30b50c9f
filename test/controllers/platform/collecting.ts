/** A server with the garbage collector, and objects that own each other. */
import type { Test } from 'tap';
import type { KubeObject, OwnerReference } from '../../../apimachinery/interface.js';
import { find } from '../../../client/find.js';
import type { Client } from '../../../client/interface.js';
import { isDeletable, mirrorResources } from '../../../client/runtime/mirrors/mirrors.js';
import { startGarbageCollector } from '../../../controllers/platform/garbage-collector.js';
import { core, object } from '../../aggregation/fleet.js';
import type { TestServer } from '../../apiserver/running.js';
import { until } from '../../storage/until.js';
import { runningControllers } from '../one-controller.js';

export const maps = core('configmaps');
export const namespace = 'default';
/** The uid of no object. */
export const nobody = '00000000-0000-4000-8000-000000000000';
export const absent: OwnerReference = { apiVersion: 'v1', kind: 'ConfigMap', name: 'nobody', uid: nobody };

interface Options {
  readonly wrap?: (client: Client) => Client;
  /** The kind whose objects are not mirrored. */
  readonly unwanted?: string;
  /** Called with each key that is reconciled. */
  readonly onKey?: (key: string) => void;
}

/** Starts a server that runs only the garbage collector. */
export const collecting = (t: Test, { wrap, unwanted = 'Event', onKey }: Options = {}): Promise<TestServer> =>
  runningControllers(
    t,
    async context => {
      const mirrors = await mirrorResources(context, { wants: kind => isDeletable(kind) && kind.kind !== unwanted });
      const run: typeof context.run = controller => {
        const reconcile: typeof controller.reconcile = (key, signal) => {
          onKey?.(key);
          return controller.reconcile(key, signal);
        };
        context.run({ ...controller, reconcile });
      };
      startGarbageCollector({ ...context, run }, mirrors);
    },
    wrap && { wrap },
  );

/** Returns a reference to an owner. */
export const reference = (
  { apiVersion, kind, metadata }: KubeObject,
  more: Partial<OwnerReference> = {},
): OwnerReference => ({
  ...{ apiVersion, kind, name: metadata.name ?? '', uid: metadata.uid ?? '' },
  ...more,
});

/** Creates a ConfigMap with owners. */
export const create = (
  { client }: TestServer,
  name: string,
  ownerReferences: OwnerReference[] = [],
  more: object = {},
): Promise<KubeObject> =>
  client.create(maps, object('v1', 'ConfigMap', name, { metadata: { namespace, ownerReferences, ...more } }));

export const mapOf = ({ client }: TestServer, name: string): Promise<KubeObject | undefined> =>
  find(client, maps, { namespace, name });

/** Resolves when the ConfigMap does not exist any more. */
export const gone = (server: TestServer, name: string): Promise<void> =>
  until(`${name} to go`, async () => (await mapOf(server, name)) === undefined);

/** Resolves with the names of the owners of the ConfigMap. */
export const ownersOf = async (server: TestServer, name: string): Promise<string[]> =>
  ((await mapOf(server, name))?.metadata.ownerReferences ?? []).map(owner => owner.name);
