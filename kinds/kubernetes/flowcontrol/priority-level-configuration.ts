import { priorityLevelRules, priorityLevelStatusRules } from './priority-level-rules.js';
import { keepAllButStatus, keepMetadata, statusPart } from '../../../registry/strategy/parts.js';
import { rulesWithStatus } from '../../../registry/strategy/kinds.js';
import { strategy } from '../../../registry/strategy/strategy.js';
import type { NativeKind } from '../native-kind.js';
import { ageCell, nameCell } from '../../shared/print/cells.js';
import { ageTextColumn, name, printer, textColumn } from '../../../registry/printer.js';
import type { PriorityLevelConfiguration } from '../../../api/kubernetes/flowcontrol.js';

export const priorityLevelConfiguration: NativeKind = {
  group: 'flowcontrol.apiserver.k8s.io',
  kind: 'PriorityLevelConfiguration',
  printer: printer<PriorityLevelConfiguration>(
    [
      name,
      textColumn('Type'),
      textColumn('NominalConcurrencyShares'),
      textColumn('Queues'),
      textColumn('HandSize'),
      textColumn('QueueLengthLimit'),
      ageTextColumn,
    ],
    (level, now) => {
      const limited = level.spec?.limited;
      const queuing = limited?.limitResponse?.queuing;
      return [
        nameCell(level),
        level.spec?.type ?? '',
        limited ? (limited.nominalConcurrencyShares ?? 0) : '<none>',
        queuing ? (queuing.queues ?? 0) : '<none>',
        queuing ? (queuing.handSize ?? 0) : '<none>',
        queuing ? (queuing.queueLengthLimit ?? 0) : '<none>',
        ageCell(level, now),
      ];
    },
  ),
  strategy: strategy(rulesWithStatus, {
    validateCreate: priorityLevelRules,
    validateUpdate: priorityLevelRules,
    metadataRepeats: ['whole'],
  }),
  subresources: {
    status: statusPart({
      prepareUpdate: [keepAllButStatus, keepMetadata],
      validateUpdate: priorityLevelStatusRules,
      metadataRepeats: [],
      resetFields: ['metadata', 'spec'],
    }),
  },
};
