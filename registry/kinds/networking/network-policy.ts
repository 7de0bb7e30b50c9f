import type { NativeKind } from '../native-kind.js';
import { ageCell, nameCell, selectorCell } from '../shared/cells.js';
import { age, name, printer, text } from '../shared/printer.js';
import type { NetworkPolicy } from '../types/networking.js';

export const networkPolicy: NativeKind = {
  group: 'networking.k8s.io',
  kind: 'NetworkPolicy',
  printer: printer<NetworkPolicy>([name, text('Pod-Selector'), age], (policy, now) => [
    nameCell(policy),
    selectorCell(policy.spec?.podSelector ?? {}),
    ageCell(policy, now),
  ]),
};
