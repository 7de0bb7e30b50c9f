import type { Filter } from '../interface.js';

/** Requires that the cluster serves the kind. An existing target passes: its discovery may be temporarily incomplete. */
export const apiEnablement: Filter = ({ spec }, cluster) => {
  if (spec.clusters?.some(target => target.name === cluster.metadata.name)) return undefined;
  const { apiVersion, kind } = spec.resource;
  const group = cluster.status?.apiEnablements?.find(enablement => enablement.groupVersion === apiVersion);
  return group?.resources?.some(resource => resource.kind === kind)
    ? undefined
    : 'cluster(s) did not have the API resource';
};
