import type { Binding, Work } from '../../api/karmada/types.js';
import { isOfCluster } from './execution-works.js';
import { annotations, labels } from '../../api/karmada/well-known.js';
import { keyOf } from '../../client/runtime/informer.js';
import type { Informer, Key } from '../../client/runtime/interface.js';

/** The index of Works by the permanent id of their binding; an option of every informer of Works that `worksOf` is given. */
export const workIndexers = {
  bindingId: (work: Work): string[] => {
    if (!isOfCluster(work)) return [];
    const { labels: marks } = work.metadata;
    return [marks?.[labels.resourceBindingId], marks?.[labels.clusterResourceBindingId]].filter(id => id !== undefined);
  },
};

/** The permanent id of a binding; '' before admission has given it one. */
export function bindingId({ metadata }: Binding): string {
  const label = metadata.namespace ? labels.resourceBindingId : labels.clusterResourceBindingId;
  return metadata.labels?.[label] ?? '';
}

/** The key of the ResourceBinding that a Work says it was made for. */
export const resourceBindingKeyOf = ({ metadata: { annotations: notes } }: Work): Key | undefined => {
  const name = notes?.[annotations.resourceBindingName];
  return name && `${notes?.[annotations.resourceBindingNamespace]}/${name}`;
};

/** The key of the ClusterResourceBinding that a Work says it was made for. */
export const clusterResourceBindingKeyOf = ({ metadata }: Work): Key | undefined =>
  metadata.annotations?.[annotations.clusterResourceBindingName];

/** The key of the binding of either kind that a Work says it was made for. */
export const bindingKeyOf = (work: Work): Key | undefined =>
  resourceBindingKeyOf(work) ?? clusterResourceBindingKeyOf(work);

/** The Works of a binding: those with its id and its name. */
// differs: Karmada looks at the id alone. The id is a label, which whoever writes a binding can copy from another one: the Works of
// that one would be deleted, and their status shown to the writer.
export function worksOf(binding: Binding, works: Pick<Informer<Work>, 'byIndex'>): readonly Work[] {
  const key = keyOf(binding);
  return works.byIndex('bindingId', bindingId(binding)).filter(work => bindingKeyOf(work) === key);
}
