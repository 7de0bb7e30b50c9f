import { goTime } from '../../shared/go-text/go-time.js';
import type { Prepare } from '../../../registry/interface.js';
import { bumpGeneration, startGeneration } from '../../../registry/strategy/generation.js';
import { strategy } from '../../../registry/strategy/strategy.js';
import type { NativeKind } from '../native-kind.js';
import { ageCell, nameCell } from '../../shared/print/cells.js';
import { ageTextColumn, name, printer, textColumn } from '../../../registry/printer.js';
import type { Device, DeviceAttribute, ResourceSlice } from '../../../api/kubernetes/resource.js';
import { resourceSliceRules, resourceSliceWarnings } from './resource-slice-rules.js';

export const resourceSlice: NativeKind = {
  group: 'resource.k8s.io',
  kind: 'ResourceSlice',
  selectableFields: {
    'spec.nodeName': object => (object as ResourceSlice).spec?.nodeName ?? '',
    'spec.driver': object => (object as ResourceSlice).spec?.driver ?? '',
  },
  printer: printer<ResourceSlice>(
    [name, textColumn('Node'), textColumn('Driver'), textColumn('Pool'), ageTextColumn],
    (slice, now) => [
      nameCell(slice),
      slice.spec?.nodeName ?? '',
      slice.spec?.driver ?? '',
      slice.spec?.pool?.name ?? '',
      ageCell(slice, now),
    ],
  ),
  strategy: strategy({
    prepareCreate: [startGeneration, dropDisabled, timeTaints],
    prepareUpdate: [timeTaints, bumpGeneration, dropDisabled],
    validateCreate: resourceSliceRules,
    validateUpdate: resourceSliceRules,
    warnings: [resourceSliceWarnings],
    returnsDeleted: true,
  }),
};

const lists = ['bools', 'ints', 'strings', 'versions'] as const;
const devicesOf = (slice: ResourceSlice | undefined): readonly Device[] => slice?.spec?.devices ?? [];
const attributesOf = (slice: ResourceSlice | undefined): readonly DeviceAttribute[] =>
  devicesOf(slice).flatMap(device => Object.values(device.attributes ?? {}));

/** Drops fields behind feature gates that are off, unless the stored object already has them. */
// as pkg/registry/resource/resourceslice dropDisabledFields
function dropDisabled(...[draft, old]: Parameters<Prepare>): void {
  const [slice, before] = [draft as ResourceSlice, old as ResourceSlice | undefined];
  if (!attributesOf(before).some(attribute => lists.some(list => attribute[list] !== undefined)))
    for (const attribute of attributesOf(slice)) for (const list of lists) delete attribute[list];
  if (!devicesOf(before).some(device => Object.keys(device.nodeAllocatableResourceMappings ?? {}).length > 0))
    for (const device of devicesOf(slice)) delete device.nodeAllocatableResourceMappings;
}

/** The time of a taint defaults to the time of the write that adds it. */
// as pkg/apis/resource/v1 SetDefaults_DeviceTaint
function timeTaints(...[draft, _, { now }]: Parameters<Prepare>): void {
  for (const device of (draft as ResourceSlice).spec?.devices ?? [])
    for (const taint of device.taints ?? []) taint.timeAdded ??= goTime(now);
}
