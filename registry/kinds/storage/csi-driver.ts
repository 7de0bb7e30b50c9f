import type { NativeKind } from '../native-kind.js';
import { ageCell, nameCell } from '../shared/cells.js';
import { age, boolean, name, printer, text } from '../shared/printer.js';
import type { CSIDriver } from '../types/storage.js';

export const csiDriver: NativeKind = {
  group: 'storage.k8s.io',
  kind: 'CSIDriver',
  printer: printer<CSIDriver>(
    [
      name,
      boolean('AttachRequired'),
      boolean('PodInfoOnMount'),
      boolean('StorageCapacity'),
      text('TokenRequests'),
      boolean('RequiresRepublish'),
      text('Modes'),
      age,
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
};
