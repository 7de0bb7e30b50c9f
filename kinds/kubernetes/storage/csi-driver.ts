import { csiDriverChangeRules, csiDriverRules, csiDriverWarnings } from './csi-driver-rules.js';
import type { Prepare } from '../../../registry/interface.js';
import { bumpGeneration } from '../../../registry/strategy/generation.js';
import { strategy } from '../../../registry/strategy/strategy.js';
import type { NativeKind } from '../native-kind.js';
import { ageCell, nameCell } from '../../shared/print/cells.js';
import { ageTextColumn, booleanColumn, name, printer, textColumn } from '../../../registry/printer.js';
import type { CSIDriver } from '../../../api/kubernetes/storage.js';

export const csiDriver: NativeKind = {
  group: 'storage.k8s.io',
  kind: 'CSIDriver',
  printer: printer<CSIDriver>(
    [
      name,
      booleanColumn('AttachRequired'),
      booleanColumn('PodInfoOnMount'),
      booleanColumn('StorageCapacity'),
      textColumn('TokenRequests'),
      booleanColumn('RequiresRepublish'),
      textColumn('Modes'),
      ageTextColumn,
    ],
    (driver, now) => [
      nameCell(driver),
      driver.spec?.attachRequired ?? true,
      driver.spec?.podInfoOnMount ?? false,
      driver.spec?.storageCapacity ?? false,
      driver.spec?.tokenRequests?.map(t => t.audience ?? '').join(',') ?? '<unset>',
      driver.spec?.requiresRepublish ?? false,
      driver.spec?.volumeLifecycleModes?.join(',') || '<none>',
      ageCell(driver, now),
    ],
  ),
  defaults: draft => fillDriver(draft),
  strategy: strategy({
    prepareCreate: [dropPreventScheduling],
    prepareUpdate: [dropPreventScheduling, bumpGeneration],
    unconditionalUpdate: false,
    returnsDeleted: true,
    validateCreate: csiDriverRules,
    validateUpdate: csiDriverChangeRules,
    warnings: [csiDriverWarnings],
  }),
};

function fillDriver(driver: CSIDriver): void {
  const spec = (driver.spec ??= {});
  spec.attachRequired ??= true;
  spec.podInfoOnMount ??= false;
  spec.storageCapacity ??= false;
  spec.fsGroupPolicy ??= 'ReadWriteOnceWithFSType';
  if (!spec.volumeLifecycleModes?.length) spec.volumeLifecycleModes = ['Persistent'];
  spec.requiresRepublish ??= false;
  spec.seLinuxMount ??= false;
}

/** The field is behind a feature gate that is off. */
function dropPreventScheduling(...[draft, old]: Parameters<Prepare>): void {
  if ((old as CSIDriver | undefined)?.spec?.preventPodSchedulingIfMissing === undefined)
    delete (draft as CSIDriver).spec?.preventPodSchedulingIfMissing;
}
