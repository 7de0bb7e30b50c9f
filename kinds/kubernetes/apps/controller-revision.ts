import { controllerRevisionRules, controllerRevisionChangeRules } from './controller-revision-rules.js';
import { strategy } from '../../../registry/strategy/strategy.js';
import type { NativeKind } from '../native-kind.js';
import { ageCell, nameCell } from '../../shared/print/cells.js';
import { ageTextColumn, name, printer, textColumn } from '../../../registry/printer.js';
import type { ControllerRevision } from '../../../api/kubernetes/apps.js';

export const controllerRevision: NativeKind = {
  group: 'apps',
  kind: 'ControllerRevision',
  printer: printer<ControllerRevision>(
    [name, textColumn('Controller'), textColumn('Revision'), ageTextColumn],
    (revision, now) => [nameCell(revision), controller(revision), revision.revision ?? 0, ageCell(revision, now)],
  ),
  strategy: strategy({
    validateCreate: controllerRevisionRules,
    validateUpdate: controllerRevisionChangeRules,
    metadataRepeats: ['change', 'whole'],
  }),
};

/** For example `statefulset.apps/name`. */
function controller({ metadata }: ControllerRevision): string {
  const owner = metadata.ownerReferences?.find(o => o.controller);
  if (!owner) return '<none>';
  const [group] = owner.apiVersion.includes('/') ? owner.apiVersion.split('/') : [''];
  return `${group ? `${owner.kind}.${group}` : owner.kind}/`.toLowerCase() + owner.name;
}
