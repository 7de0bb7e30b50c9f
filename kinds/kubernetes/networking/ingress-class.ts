import { ingressClassChangeRules, ingressClassRules } from './ingress-class-rules.js';
import { withGeneration } from '../../../registry/strategy/kinds.js';
import { strategy } from '../../../registry/strategy/strategy.js';
import type { NativeKind } from '../native-kind.js';
import { ageCell, nameCell } from '../../shared/print/cells.js';
import { ageTextColumn, name, printer, textColumn } from '../../../registry/printer.js';
import type { IngressClass } from '../../../api/kubernetes/networking.js';
import { defaultIngressClassAnnotation } from '../../../api/kubernetes/well-known.js';

export const ingressClass: NativeKind = {
  group: 'networking.k8s.io',
  kind: 'IngressClass',
  printer: printer<IngressClass>(
    [name, textColumn('Controller'), textColumn('Parameters'), ageTextColumn],
    (c, now) => {
      const isDefault = c.metadata.annotations?.[defaultIngressClassAnnotation] === 'true';
      return [nameCell(c) + (isDefault ? ' (default)' : ''), c.spec?.controller ?? '', parameters(c), ageCell(c, now)];
    },
  ),
  defaults: draft => {
    const parameters = (draft as IngressClass).spec?.parameters;
    if (parameters) parameters.scope ??= 'Cluster';
  },
  strategy: strategy(withGeneration, {
    validateCreate: ingressClassRules,
    validateUpdate: ingressClassChangeRules,
    metadataRepeats: ['change', 'whole'],
  }),
};

function parameters({ spec }: IngressClass): string {
  const ref = spec?.parameters;
  if (!ref) return '<none>';
  const kind = ref.apiGroup === undefined ? ref.kind : `${ref.kind}.${ref.apiGroup}`;
  return `${kind}/${ref.name}`;
}
