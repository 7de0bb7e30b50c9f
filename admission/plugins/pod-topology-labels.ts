import type { Binding, Pod } from '../../api/kubernetes/core.js';
import type { AdmissionDeps, AdmissionPlugin } from '../../registry/admission-plugin.js';
import { findRecent } from '../../client/recent.js';
import { nodes } from '../../api/kubernetes/resources.js';
import { regionLabel, zoneLabel } from '../../api/kubernetes/well-known.js';

const copied = [zoneLabel, regionLabel];

/** Copies the topology labels of the node to its pods. */
// as plugin/pkg/admission/podtopologylabels
export function podTopologyLabels({ client }: AdmissionDeps): AdmissionPlugin {
  return {
    name: 'PodTopologyLabels',
    resources: ['pods'],
    async mutate({ operation, subresource, object }) {
      if (operation !== 'CREATE' || !object) return;
      const name = subresource === '' ? (object as Pod).spec?.nodeName : boundTo(subresource, object);
      if (!name) return;
      const found = (await findRecent(client, nodes, { name }))?.metadata.labels ?? {};
      const labels = Object.fromEntries(Object.entries(found).filter(([key]) => copied.includes(key)));
      if (Object.keys(labels).length > 0) object.metadata.labels = { ...object.metadata.labels, ...labels };
    },
  };
}

function boundTo(subresource: string, { target }: Binding): string | undefined {
  return subresource === 'binding' && target?.kind === 'Node' ? target.name : undefined;
}
