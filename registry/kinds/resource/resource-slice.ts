import { goTime } from '../shared/go-time.js';
import type { Prepare } from '../../interface.js';
import { bumpGeneration, startGeneration } from '../../strategy/generation.js';
import { strategy } from '../../strategy/strategy.js';
import type { NativeKind } from '../native-kind.js';
import { ageCell, nameCell } from '../shared/cells.js';
import { age, name, printer, text } from '../shared/printer.js';
import type { ResourceSlice } from '../types/resource.js';
import { resourceSliceRules, resourceSliceWarnings } from './resource-slice-rules.js';

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
  strategy: strategy({
    prepareCreate: [startGeneration, timeTaints],
    prepareUpdate: [timeTaints, bumpGeneration],
    validateCreate: resourceSliceRules,
    validateUpdate: resourceSliceRules,
    warnings: [resourceSliceWarnings],
    returnsDeleted: true,
  }),
};

/** A taint without a time is as old as the write that brought it. */
// as pkg/apis/resource/v1 SetDefaults_DeviceTaint
function timeTaints(...[draft, _, { now }]: Parameters<Prepare>): void {
  for (const device of (draft as ResourceSlice).spec?.devices ?? [])
    for (const taint of device.taints ?? []) taint.timeAdded ??= goTime(now);
}
