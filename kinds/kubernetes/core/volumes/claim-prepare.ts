/** The source of a claim's content is in two fields with the same meaning. */
// as pkg/api/persistentvolumeclaim EnforceDataSourceBackwardsCompatibility, NormalizeDataSources, DropDisabledFields
import type { Prepare } from '../../../../registry/interface.js';
import type {
  PersistentVolumeClaim,
  PersistentVolumeClaimSpec,
  TypedLocalObjectReference,
} from '../../../../api/kubernetes/core.js';

/** Drops the sources that no claim may newly have, and copies the source from the field that has it to the other one. */
export const settleDataSources: Prepare = (draft, stored) => {
  const spec = ((draft as PersistentVolumeClaim).spec ??= {});
  const old = (stored as PersistentVolumeClaim | undefined)?.spec;
  // Sources in other namespaces are behind a feature gate that is off.
  if (spec.dataSourceRef?.namespace && !old?.dataSourceRef) delete spec.dataSourceRef;
  const hadSource = old?.dataSource !== undefined || old?.dataSourceRef !== undefined;
  if (!hadSource && !spec.dataSourceRef && !isClassic(spec.dataSource)) delete spec.dataSource;
  mirror(spec);
};

/** Reports whether the older of the two fields could always name the source. */
function isClassic(source: TypedLocalObjectReference | undefined): boolean {
  if (source?.kind === 'PersistentVolumeClaim') return (source.apiGroup ?? '') === '';
  return source?.kind === 'VolumeSnapshot' && source.apiGroup === 'snapshot.storage.k8s.io';
}

function mirror(spec: PersistentVolumeClaimSpec): void {
  const { dataSource, dataSourceRef } = spec;
  if (dataSource && !dataSourceRef) spec.dataSourceRef = { ...dataSource };
  else if (dataSourceRef && !dataSource && !dataSourceRef.namespace) {
    const { namespace: _, ...source } = dataSourceRef;
    spec.dataSource = source;
  }
}
