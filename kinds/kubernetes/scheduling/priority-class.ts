import { priorityClassChangeRules, priorityClassRules, systemClasses } from './priority-class-rules.js';
import { startGeneration } from '../../../registry/strategy/generation.js';
import { strategy } from '../../../registry/strategy/strategy.js';
import type { NativeKind } from '../native-kind.js';
import { ageCell, nameCell } from '../../shared/print/cells.js';
import { ageTextColumn, booleanColumn, integerColumn, name, printer, textColumn } from '../../../registry/printer.js';
import type { PriorityClass } from '../../../api/kubernetes/scheduling.js';

export const priorityClass: NativeKind = {
  group: 'scheduling.k8s.io',
  kind: 'PriorityClass',
  printer: printer<PriorityClass>(
    [name, integerColumn('Value'), booleanColumn('Global-Default'), ageTextColumn, textColumn('PreemptionPolicy')],
    (c, now) => [nameCell(c), c.value ?? 0, c.globalDefault ?? false, ageCell(c, now), c.preemptionPolicy ?? ''],
  ),
  defaults: draft => {
    (draft as PriorityClass).preemptionPolicy ??= 'PreemptLowerPriority';
  },
  strategy: strategy({
    prepareCreate: [startGeneration],
    validateCreate: priorityClassRules,
    validateUpdate: priorityClassChangeRules,
    undeletable: name =>
      systemClasses.has(name) ? 'this is a system priority class and cannot be deleted' : undefined,
  }),
};
