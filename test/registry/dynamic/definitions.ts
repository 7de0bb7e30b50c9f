/** CRDs for tests. */
import type { KubeObject } from '../../../apimachinery/interface.js';
import { isNotFound } from '../../../apimachinery/errors/status.js';
import type { Client, WatchEvent } from '../../../client/interface.js';
import { anything, customKind, version as versionOf } from '../../custom-kinds.js';

export const crds = { group: 'apiextensions.k8s.io', version: 'v1', resource: 'customresourcedefinitions' };
export const widgets = { group: 'example.com', version: 'v1', resource: 'widgets' };

export const anySchema = { openAPIV3Schema: anything };

/** Returns a CRD that allows any object, unless `more` has a schema; v1 is stored. */
export const version = (name: string, more: object = {}): Record<string, unknown> =>
  versionOf(name, anything, { storage: name === 'v1', ...more });

export function definition(spec: object = {}, metadata: object = {}): KubeObject {
  const of = customKind('Widget', [version('v1')]);
  return { ...of, metadata: { ...of.metadata, ...metadata }, spec: { ...of.spec, ...spec } };
}

export const widget = (name: string, more: object = {}, apiVersion = 'example.com/v1'): KubeObject => ({
  apiVersion,
  kind: 'Widget',
  metadata: { name, namespace: 'default' },
  ...more,
});

/** Resolves with the CRD once an event about it satisfies the condition. */
export async function until(
  client: Client,
  isSo: (event: WatchEvent) => boolean,
  name = 'widgets.example.com',
): Promise<KubeObject> {
  const stop = new AbortController();
  const query = { fieldSelector: `metadata.name=${name}` };
  for await (const event of client.watch(crds, query, stop.signal)) if (isSo(event)) return event.object;
  throw new Error('the watch has ended');
}

export function condition({ object }: { readonly object: KubeObject }, type: string): string {
  const { conditions } = (object.status ?? {}) as { conditions?: { type: string; status: string; reason: string }[] };
  const found = conditions?.find(each => each.type === type);
  return found ? `${found.status} ${found.reason}` : 'none';
}

const isEstablished = (event: WatchEvent): boolean => condition(event, 'Established').startsWith('True');

/** Waits until Widgets are not served any more: the CRD is removed first, its path a moment later. */
export async function unserved(client: Client): Promise<void> {
  const isServed = (): Promise<boolean> =>
    client.list(widgets).then(
      () => true,
      (error: unknown) => !isNotFound(error),
    );
  while (await isServed()) await new Promise(resolve => setImmediate(resolve));
}

/** Creates a CRD and waits until it is served. */
export async function define(client: Client, object: KubeObject = definition()): Promise<KubeObject> {
  await client.create(crds, object);
  return until(client, isEstablished, object.metadata.name);
}
