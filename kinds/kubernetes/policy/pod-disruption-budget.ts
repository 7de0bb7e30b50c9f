import { statusPart } from '../../../registry/strategy/parts.js';
import { podDisruptionBudgetRules, podDisruptionBudgetStatusRules } from './pod-disruption-budget-rules.js';
import { rulesWithStatus } from '../../../registry/strategy/kinds.js';
import { pathSegmentFaults } from '../../../registry/strategy/metadata.js';
import { strategy } from '../../../registry/strategy/strategy.js';
import type { NativeKind } from '../native-kind.js';
import { ageCell, nameCell } from '../../shared/print/cells.js';
import { ageTextColumn, integerColumn, name, printer, textColumn } from '../../../registry/printer.js';
import type { PodDisruptionBudget } from '../../../api/kubernetes/policy.js';

export const podDisruptionBudget: NativeKind = {
  group: 'policy',
  kind: 'PodDisruptionBudget',
  printer: printer<PodDisruptionBudget>(
    [
      name,
      textColumn('Min Available'),
      textColumn('Max Unavailable'),
      integerColumn('Allowed Disruptions'),
      ageTextColumn,
    ],
    (budget, now) => [
      nameCell(budget),
      String(budget.spec?.minAvailable ?? 'N/A'),
      String(budget.spec?.maxUnavailable ?? 'N/A'),
      budget.status?.disruptionsAllowed ?? 0,
      ageCell(budget, now),
    ],
  ),
  strategy: strategy(rulesWithStatus, {
    unconditionalUpdate: false,
    validateCreate: podDisruptionBudgetRules,
    validateUpdate: podDisruptionBudgetRules,
    // Only the pipeline checks its metadata.
    nameFaults: pathSegmentFaults,
    metadataLast: true,
    metadataRepeats: [],
    plainFinalizers: 'allow',
  }),
  subresources: { status: statusPart({ validateUpdate: podDisruptionBudgetStatusRules, metadataRepeats: [] }) },
};
