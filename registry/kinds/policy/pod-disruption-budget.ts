import { statusPart } from '../../strategy/parts.js';
import { podDisruptionBudgetRules, podDisruptionBudgetStatusRules } from './pod-disruption-budget-rules.js';
import { withStatus } from '../../strategy/kinds.js';
import { pathSegmentFaults } from '../../strategy/metadata.js';
import { strategy } from '../../strategy/strategy.js';
import type { NativeKind } from '../native-kind.js';
import { ageCell, nameCell } from '../shared/print/cells.js';
import { age, integer, name, printer, text } from '../shared/print/printer.js';
import type { PodDisruptionBudget } from '../types/policy.js';

export const podDisruptionBudget: NativeKind = {
  group: 'policy',
  kind: 'PodDisruptionBudget',
  printer: printer<PodDisruptionBudget>(
    [name, text('Min Available'), text('Max Unavailable'), integer('Allowed Disruptions'), age],
    (budget, now) => [
      nameCell(budget),
      String(budget.spec?.minAvailable ?? 'N/A'),
      String(budget.spec?.maxUnavailable ?? 'N/A'),
      budget.status?.disruptionsAllowed ?? 0,
      ageCell(budget, now),
    ],
  ),
  strategy: strategy(withStatus, {
    unconditionalUpdate: false,
    validateCreate: podDisruptionBudgetRules,
    validateUpdate: podDisruptionBudgetRules,
    // Nobody looks at its metadata but the pipeline.
    nameFaults: pathSegmentFaults,
    metadataLast: true,
    metadataRepeats: [],
    plainFinalizers: 'allow',
  }),
  subresources: { status: statusPart({ validateUpdate: podDisruptionBudgetStatusRules, metadataRepeats: [] }) },
};
