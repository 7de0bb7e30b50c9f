import type { Filter } from '../interface.js';

/** Does the cluster serve the kind? A cluster that is a target already stays one: its discovery may be incomplete for the moment. */
export const apiEnablement: Filter = ({ spec }, cluster) => {
  if (spec.clusters?.some(target => target.name === cluster.metadata.name)) return undefined;
  const { apiVersion, kind } = spec.resource;
  const group = cluster.status?.apiEnablements?.find(enablement => enablement.groupVersion === apiVersion);
  return group?.resources?.some(resource => resource.kind === kind)
    ? undefined
    : 'cluster(s) did not have the API resource';
};
