/** The inputs of `karmadactl interpret`: customizations, objects, and the statuses of members. */
import type { KubeObject } from '../../../apimachinery/interface.js';
import { gvkOf, gvkText } from '../../../apimachinery/meta/gvk.js';
import type { AggregatedStatusItem } from '../../../api/karmada/types.js';
import { isMap } from '../../../lib/json/is-map.js';
import { UsageError } from '../../flags/flags.js';
import { readDocuments } from '../../read-documents.js';
import { type LoadedObject, loadObjects } from '../../read-objects.js';

const customizationKind = 'config.karmada.io/v1alpha1, Kind=ResourceInterpreterCustomization';

/** Returns why an object is no customization; undefined if it is one. as pkg/karmadactl/interpret asResourceInterpreterCustomization */
export function kindFault({ object }: LoadedObject): string | undefined {
  const kind = gvkText(gvkOf(object));
  return kind === customizationKind ? undefined : `not a ResourceInterpreterCustomization, got ${kind}`;
}

/** Returns the object of `--desired-file` or `--observed-file`; undefined without the flag. */
export async function loadObject(name: string, what: 'desired' | 'observed'): Promise<KubeObject | undefined> {
  if (name === '') return undefined;
  const objects = await loadObjects([name], false);
  const [first] = objects;
  if (objects.length > 1)
    throw new UsageError(`fail to get ${what} object: get ${objects.length} objects, expect one at most`);
  if (!first) throw new UsageError(`fail to get ${what} object: there is none in ${name}`);
  return first.object;
}

/** Returns the items of `--status-file`. Fields that an AggregatedStatusItem does not have are left out, as Go's decoder does. */
export async function loadItems(name: string): Promise<AggregatedStatusItem[]> {
  const documents = name === '' ? [] : await readDocuments([name]);
  return documents.map(({ value }) => {
    if (!isMap(value))
      throw new UsageError('fail to get status items: a document is no object of the type AggregatedStatusItem');
    const { clusterName = '', status, applied, appliedMessage, health } = value as Partial<AggregatedStatusItem>;
    return {
      clusterName,
      ...(status !== undefined && { status }),
      ...(applied && { applied }),
      ...(appliedMessage && { appliedMessage }),
      ...(health && { health }),
    };
  });
}
