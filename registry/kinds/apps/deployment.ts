import type { NativeKind } from '../native-kind.js';
import { ageCell, containerCells, nameCell, selectorText } from '../shared/cells.js';
import { age, containerColumns, name, printer, text, wide } from '../shared/printer.js';
import type { Deployment } from '../types/apps.js';

export const deployment: NativeKind = {
  group: 'apps',
  kind: 'Deployment',
  printer: printer<Deployment>(
    [name, text('Ready'), text('Up-to-date'), text('Available'), age, ...containerColumns, wide('Selector')],
    (d, now) => [
      nameCell(d),
      `${d.status?.readyReplicas ?? 0}/${d.spec?.replicas ?? 0}`,
      d.status?.updatedReplicas ?? 0,
      d.status?.availableReplicas ?? 0,
      ageCell(d, now),
      ...containerCells(d.spec?.template?.spec?.containers),
      selectorText(d.spec?.selector) ?? '<invalid>',
    ],
  ),
};
