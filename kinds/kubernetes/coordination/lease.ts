import { leaseRules } from './lease-rules.js';
import type { Prepare } from '../../../registry/interface.js';
import { strategy } from '../../../registry/strategy/strategy.js';
import type { NativeKind } from '../native-kind.js';
import { ageCell, nameCell } from '../../shared/print/cells.js';
import { ageTextColumn, name, printer, textColumn } from '../../../registry/printer.js';
import type { Lease } from '../../../api/kubernetes/coordination.js';

/**
 * Milliseconds for which a renewal may wait. Clients renew their Leases every few seconds, each at a time of its own, so that most of the cost of
 * many idle agents would be an access to the disk for each renewal.
 */
const renewalDelayMs = 100;

export const lease: NativeKind = {
  group: 'coordination.k8s.io',
  kind: 'Lease',
  printer: printer<Lease>([name, textColumn('Holder'), ageTextColumn], (l, now) => [
    nameCell(l),
    l.spec?.holderIdentity ?? '',
    ageCell(l, now),
  ]),
  strategy: strategy({
    prepareCreate: [dropCoordination],
    prepareUpdate: [dropCoordination],
    createOnUpdate: true,
    unconditionalUpdate: false,
    validateCreate: leaseRules,
    validateUpdate: leaseRules,
    plainFinalizers: 'allow',
  }),
  updateDelayMs: renewalDelayMs,
};

/** The fields are behind a feature gate that is off. */
function dropCoordination(...[draft, old]: Parameters<Prepare>): void {
  const { spec } = draft as Lease;
  const stored = (old as Lease | undefined)?.spec;
  if (spec && stored?.strategy === undefined) delete spec.strategy;
  if (spec && stored?.preferredHolder === undefined) delete spec.preferredHolder;
}
