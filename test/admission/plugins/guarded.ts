/** A server with the built-in admission plugins and the namespace `default`. */
import type { Test } from 'tap';
import type { GroupVersionResource, KubeObject } from '../../../apimachinery/interface.js';
import { builtInPlugins } from '../../../admission/plugins/built-in.js';
import { runningPlugins } from '../../../admission/plugin-selection.js';
import { chain } from '../../../admission/chain.js';
import type { AdmissionPlugin } from '../../../registry/admission-plugin.js';
import { type ServeOptions, type Served, namespaces, serve } from '../../registry/serve.js';

export const resource = (resource: string, group = '', version = 'v1'): GroupVersionResource => ({
  group,
  version,
  resource,
});

export const object = (
  apiVersion: string,
  kind: string,
  metadata: string | KubeObject['metadata'],
  more: object = {},
): KubeObject => ({
  apiVersion,
  kind,
  metadata: typeof metadata === 'string' ? { name: metadata, namespace: 'default' } : metadata,
  ...more,
});

export async function guarded(
  t: Test,
  options: ServeOptions = {},
  profile: 'karmada' | 'kubernetes' = 'karmada',
): Promise<Served> {
  let plugins: AdmissionPlugin = { name: 'none' };
  const served = await serve(t, {
    ...options,
    admission: () => ({
      name: 'late',
      mutate: request => plugins.mutate?.(request),
      validate: request => plugins.validate?.(request),
    }),
  });
  const { client, clock } = served;
  plugins = chain(builtInPlugins({ client, now: () => new Date(clock.now) }, [], runningPlugins(profile)));
  await client.create(namespaces, object('v1', 'Namespace', { name: 'default' }));
  return served;
}
