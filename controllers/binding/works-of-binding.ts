import { namespacedName } from '../../apimachinery/meta/gvk.js';
import type { Binding, Work } from '../../api/karmada/types.js';
import { isKeyOfCluster } from '../work/execution-works.js';
import { annotations, labels } from '../../api/karmada/well-known.js';
import { keyOf } from '../../client/key.js';
import type { Informer, Key } from '../../client/runtime/interface.js';

type Labels = Readonly<Record<string, string>>;

/** Returns the permanent ids of the bindings of a Work, by its labels and its key. */
function bindingIds(marks: Labels, key: Key): string[] {
  if (!isKeyOfCluster(key)) return [];
  return [marks[labels.resourceBindingId], marks[labels.clusterResourceBindingId]].filter(id => id !== undefined);
}

/** Index of Works by the permanent id of their binding; `worksOf` needs an informer with it. */
export const workIndexers = { bindingId: { ofLabels: bindingIds } };

/** Returns the permanent id of a binding; '' before admission has set it. */
export function bindingId({ metadata }: Binding): string {
  const label = metadata.namespace ? labels.resourceBindingId : labels.clusterResourceBindingId;
  return metadata.labels?.[label] ?? '';
}

/** Returns the key of the ResourceBinding in a Work's annotations. */
export const resourceBindingKeyOf = ({ metadata: { annotations: notes } }: Work): Key | undefined => {
  const namespace = notes?.[annotations.resourceBindingNamespace];
  const name = notes?.[annotations.resourceBindingName];
  return namespace && name ? namespacedName(namespace, name) : undefined;
};

/** Returns the key of the ClusterResourceBinding in a Work's annotations. */
export const clusterResourceBindingKeyOf = ({ metadata }: Work): Key | undefined =>
  metadata.annotations?.[annotations.clusterResourceBindingName];

/** Returns the key of the binding, of either kind, in a Work's annotations. */
export const bindingKeyOf = (work: Work): Key | undefined =>
  resourceBindingKeyOf(work) ?? clusterResourceBindingKeyOf(work);

/** Returns the binding that a Work belongs to; undefined if the mirror does not have it. */
export function bindingOfWork(work: Work, bindings: Informer<Binding>): Binding | undefined {
  const key = bindingKeyOf(work);
  const binding = key === undefined ? undefined : bindings.get(key);
  return binding && bindingIds(work.metadata.labels ?? {}, keyOf(work)).includes(bindingId(binding))
    ? binding
    : undefined;
}

/** Returns the Works of a binding: those with its id and its name. */
// differs: Karmada compares only the id. The id is a label, which the writer of a binding can copy from another one: the Works of that
// one would be deleted, and their status shown to the writer.
export function worksOf(binding: Binding, works: Pick<Informer<Work>, 'byIndex'>): readonly Work[] {
  const key = keyOf(binding);
  return works.byIndex('bindingId', bindingId(binding)).filter(work => bindingKeyOf(work) === key);
}
