import { networkPolicyRules, networkPolicyWarnings } from './network-policy-rules.js';
import { withGeneration } from '../../strategy/kinds.js';
import { strategy } from '../../strategy/strategy.js';
import type { NativeKind } from '../native-kind.js';
import { ageCell, nameCell, selectorCell } from '../shared/print/cells.js';
import { age, name, printer, text } from '../shared/print/printer.js';
import type { NetworkPolicy } from '../types/networking.js';

export const networkPolicy: NativeKind = {
  group: 'networking.k8s.io',
  kind: 'NetworkPolicy',
  printer: printer<NetworkPolicy>([name, text('Pod-Selector'), age], (policy, now) => [
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
