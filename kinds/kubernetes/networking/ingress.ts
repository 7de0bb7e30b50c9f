import { statusPart } from '../../../registry/strategy/parts.js';
import { ingressRules, ingressStatusRules, ingressWarnings } from './ingress-rules.js';
import { rulesWithStatus } from '../../../registry/strategy/kinds.js';
import { strategy } from '../../../registry/strategy/strategy.js';
import type { NativeKind } from '../native-kind.js';
import { ageCell, loadBalancerCell, nameCell } from '../../shared/print/cells.js';
import { ageTextColumn, name, printer, textColumn } from '../../../registry/printer.js';
import type { Ingress, IngressRule } from '../../../api/kubernetes/networking.js';

export const ingress: NativeKind = {
  group: 'networking.k8s.io',
  kind: 'Ingress',
  storagePrefix: '/registry/ingress',
  printer: printer<Ingress>(
    [name, textColumn('Class'), textColumn('Hosts'), textColumn('Address'), textColumn('Ports'), ageTextColumn],
    (i, now) => [
      nameCell(i),
      i.spec?.ingressClassName ?? '<none>',
      hosts(i.spec?.rules ?? []),
      loadBalancerCell(i.status?.loadBalancer?.ingress),
      i.spec?.tls?.length ? '80, 443' : '80',
      ageCell(i, now),
    ],
  ),
  strategy: strategy(rulesWithStatus, {
    validateCreate: ingressRules,
    validateUpdate: ingressRules,
    warnings: [ingressWarnings],
    metadataRepeats: ['change', 'whole'],
  }),
  subresources: { status: statusPart({ validateUpdate: ingressStatusRules }) },
};

const maxHosts = 3;

/** The others are counted in rules, with or without a host, after the rule of the last printed host. */
// as pkg/printers/internalversion formatHosts
function hosts(rules: readonly IngressRule[]): string {
  const shown: string[] = [];
  let more = false;
  for (const rule of rules) {
    if (shown.length === maxHosts) more = true;
    else if (rule.host) shown.push(rule.host);
  }
  if (shown.length === 0) return '*';
  return shown.join(',') + (more ? ` + ${rules.length - maxHosts} more...` : '');
}
