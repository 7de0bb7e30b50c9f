/** API servers behind the APIServices of another one. */
import fs from 'node:fs/promises';
import path from 'node:path';
import type { Test } from 'tap';
import { isNotFound } from '../../../apimachinery/errors/status.js';
import type { KubeObject } from '../../../apimachinery/interface.js';
import { customResourceDefinitions } from '../../../api/kubernetes/resources.js';
import type { Client } from '../../../client/interface.js';
import type { ServerConfig } from '../../../server/config.js';
import { runningServer, temporaryFolder, type TestServer } from '../../apiserver/running.js';
import { core, object } from '../fleet.js';

export const apiServices = { group: 'apiregistration.k8s.io', version: 'v1', resource: 'apiservices' } as const;
export const widgets = { group: 'example.com', version: 'v1', resource: 'widgets' } as const;
export const widget = (name: string, more: object = {}): KubeObject => object('example.com/v1', 'Widget', name, more);

const schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

export const widgetDefinition = object('apiextensions.k8s.io/v1', 'CustomResourceDefinition', 'widgets.example.com', {
  spec: {
    ...{ group: 'example.com', scope: 'Namespaced' },
    names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList', shortNames: ['wd'] },
    versions: [
      { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema }, subresources: { status: {} } },
    ],
  },
});

/** Starts a server with the kind Widget that trusts the proxy of `front`. */
export async function secondServer(
  t: Test,
  front: TestServer,
  config: Partial<ServerConfig> = {},
): Promise<TestServer> {
  const pkiDirectory = await temporaryFolder(t);
  for (const name of ['front-proxy-ca.crt', 'front-proxy-ca.key'])
    await fs.copyFile(path.join(front.directory, 'pki', name), path.join(pkiDirectory, name));
  const hosts = ['widgets.servers.svc'];
  const second = await runningServer(t, { profile: 'kubernetes', hosts, pkiDirectory, ...config });
  await second.client.create(customResourceDefinitions, widgetDefinition);
  return second;
}

interface Registration {
  readonly port: number;
  readonly version?: string;
  /** Fields of the spec that replace the default ones. */
  readonly spec?: object;
}

/** Creates the Service `widgets` and the APIService `v1.example.com` that refers to it. */
export async function register(client: Client, { port, version = 'v1', spec = {} }: Registration): Promise<void> {
  const namespace = 'servers';
  const existing = client.get(core('services'), { namespace, name: 'widgets' });
  if (!(await existing.catch((error: unknown) => (isNotFound(error) ? undefined : Promise.reject(error as Error))))) {
    await client.create(core('namespaces'), object('v1', 'Namespace', namespace)).catch(() => undefined);
    const named = { type: 'ExternalName', externalName: '127.0.0.1' };
    await client.create(core('services'), object('v1', 'Service', 'widgets', { metadata: { namespace }, spec: named }));
  }
  await client.create(
    apiServices,
    object('apiregistration.k8s.io/v1', 'APIService', `${version}.example.com`, {
      spec: {
        ...{ group: 'example.com', version, groupPriorityMinimum: 100, versionPriority: 10 },
        ...{ service: { namespace, name: 'widgets', port }, ...spec },
      },
    }),
  );
}

export const bundleOf = (authority: string): string => Buffer.from(authority).toString('base64');

/** Waits until the condition Available has the reason. Returns its message. */
export async function availability(client: Client, reason: string, name = 'v1.example.com'): Promise<string> {
  const query = { sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan', allowWatchBookmarks: true } as const;
  for await (const { object: api } of client.watch(apiServices, query, AbortSignal.timeout(60_000))) {
    if (api.metadata.name !== name) continue;
    const { conditions = [] } = (api['status'] ?? {}) as { conditions?: { reason: string; message: string }[] };
    const found = conditions.find(condition => condition.reason === reason);
    if (found) return found.message;
  }
  throw new Error(`the condition has never had the reason ${reason}`);
}
