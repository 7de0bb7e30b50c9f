import { networkPolicyRules, networkPolicyWarnings } from './network-policy-rules.js';
import { withGeneration } from '../../../registry/strategy/kinds.js';
import { strategy } from '../../../registry/strategy/strategy.js';
import type { NativeKind } from '../native-kind.js';
import { ageCell, nameCell, selectorCell } from '../../shared/print/cells.js';
import { ageTextColumn, name, printer, textColumn } from '../../../registry/printer.js';
import type { NetworkPolicy } from '../../../api/kubernetes/networking.js';

export const networkPolicy: NativeKind = {
  group: 'networking.k8s.io',
  kind: 'NetworkPolicy',
  printer: printer<NetworkPolicy>([name, textColumn('Pod-Selector'), ageTextColumn], (policy, now) => [
    nameCell(policy),
    selectorCell(policy.spec?.podSelector ?? {}),
    ageCell(policy, now),
  ]),
  defaults: draft => {
    const spec = ((draft as NetworkPolicy).spec ??= {});
    if (!spec.policyTypes?.length) spec.policyTypes = spec.egress?.length ? ['Ingress', 'Egress'] : ['Ingress'];
  },
  strategy: strategy(withGeneration, {
    validateCreate: networkPolicyRules,
    validateUpdate: networkPolicyRules,
    warnings: [networkPolicyWarnings],
  }),
};
