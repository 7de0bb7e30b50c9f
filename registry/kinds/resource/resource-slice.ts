import type { NativeKind } from '../native-kind.js';
import { ageCell, nameCell } from '../shared/cells.js';
import { age, name, printer, text } from '../shared/printer.js';
import type { ResourceSlice } from '../types/resource.js';

export const resourceSlice: NativeKind = {
  group: 'resource.k8s.io',
  kind: 'ResourceSlice',
  selectableFields: {
    'spec.nodeName': object => (object as ResourceSlice).spec?.nodeName ?? '',
    'spec.driver': object => (object as ResourceSlice).spec?.driver ?? '',
  },
  printer: printer<ResourceSlice>([name, text('Node'), text('Driver'), text('Pool'), age], (slice, now) => [
    nameCell(slice),
    slice.spec?.nodeName ?? '',
    slice.spec?.driver ?? '',
    slice.spec?.pool?.name ?? '',
    ageCell(slice, now),
  ]),
};
