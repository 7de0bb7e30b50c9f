/** Starts a pipeline that serves Karmada's custom resources with their admission. */
import type { AdmissionPlugin } from '../../../registry/admission-plugin.js';
import { karmadaAdmission } from '../../../admission/karmada/karmada.js';
import type { Offload } from '../../../lib/offload/interface.js';
import type { Client } from '../../../client/interface.js';
import { karmadaConversion } from '../../../kinds/karmada/work/binding-conversion.js';
import { installCustomResources } from '../../../kinds/karmada/crds/install.js';
import { featureGates } from '../../../kinds/karmada/feature-gates.js';
import type { Converter } from '../../../registry/dynamic/dynamic.js';
import type { ResourceDefinition } from '../../../registry/interface.js';
import { openOffload } from '../../../server/offload.js';
import { namespaces, serve, type Served } from '../../registry/serve.js';

/** Returns a plugin that is made at the first request, since it needs a client of the pipeline that it belongs to. */
function lazily(make: () => AdmissionPlugin): AdmissionPlugin {
  let made: AdmissionPlugin | undefined;
  const plugin = (): AdmissionPlugin => (made ??= make());
  return {
    name: 'lazily',
    mutate: request => plugin().mutate?.(request),
    validate: request => plugin().validate?.(request),
  };
}

/**
 * Serves Karmada's custom resources, with the namespace `default`. `gates` are the feature gates that differ from their defaults, `definitions` further
 * resources.
 */
export async function serveCustomResources(
  t: Parameters<typeof serve>[0],
  gates: Readonly<Record<string, boolean>> = {},
  definitions: readonly ResourceDefinition[] = [],
): Promise<Served & { readonly offload: Offload }> {
  const offload = openOffload();
  t.teardown(() => offload.close());
  const admission = (client: () => Client): AdmissionPlugin =>
    lazily(() => karmadaAdmission({ client: client(), gates: featureGates(gates), offload }));
  const convert: Converter = ({ metadata }) => karmadaConversion(metadata.name ?? '');
  const served = await serve(t, { admission, convert, definitions });
  const { client } = served;
  await installCustomResources(client, { signal: new AbortController().signal, onError: error => void t.error(error) });
  await client.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'default' } });
  return { ...served, offload };
}
