import type { Prepare } from '../../../../registry/interface.js';
import { fillService } from './service-defaults.js';
import { serviceWarnings } from './service-warnings.js';
import { serviceStatusRules } from './load-balancer-rules.js';
import { serviceChangeRules, serviceRules } from './service-rules.js';
import { dropTypeDependent } from './service-prepare.js';
import { dropStatus, keepStatus, statusPart } from '../../../../registry/strategy/parts.js';
import { checkDns1123Label } from '../../../../apimachinery/meta/names.js';
import { strategy, nameRuleOf } from '../../../../registry/strategy/strategy.js';
import type { NativeKind } from '../../native-kind.js';
import { ageCell, labelsCell, loadBalancerCell, nameCell } from '../../../shared/print/cells.js';
import { ageTextColumn, name, printer, textColumn, wide } from '../../../../registry/printer.js';
import type { Service } from '../../../../api/kubernetes/core.js';

export const service: NativeKind = {
  group: '',
  kind: 'Service',
  storagePrefix: '/registry/services/specs',
  selectableFields: {
    'spec.clusterIP': object => (object as Service).spec?.clusterIP ?? '',
    'spec.type': object => (object as Service).spec?.type ?? '',
  },
  printer: printer<Service>(
    [
      name,
      textColumn('Type'),
      textColumn('Cluster-IP'),
      textColumn('External-IP'),
      textColumn('Port(s)'),
      ageTextColumn,
      wide('Selector'),
    ],
    (svc, now) => [
      nameCell(svc),
      svc.spec?.type ?? '',
      svc.spec?.clusterIPs?.[0] ?? '<none>',
      externalIp(svc),
      ports(svc) || '<none>',
      ageCell(svc, now),
      labelsCell(svc.spec?.selector),
    ],
  ),
  defaults: draft => fillService(draft),
  strategy: strategy({
    nameFaults: nameRuleOf(checkDns1123Label),
    prepareCreate: [dropStatus],
    prepareUpdate: [keepStatus, dropTypeDependent],
    validateCreate: serviceRules,
    validateUpdate: serviceChangeRules,
    warnings: [serviceWarnings],
    createOnUpdate: true,
    returnsDeleted: true,
    resetFields: ['status'],
    canonicalize: [dropInternalPolicy],
  }),
  subresources: { status: statusPart({ validateUpdate: serviceStatusRules }) },
};

// as pkg/printers/internalversion getServiceExternalIP
function externalIp({ spec, status }: Service): string {
  const external = spec?.externalIPs ?? [];
  switch (spec?.type) {
    case 'ClusterIP':
    case 'NodePort':
      return external.join(',') || '<none>';
    case 'LoadBalancer': {
      const balancer = loadBalancerCell(status?.loadBalancer?.ingress);
      return [...(balancer === '' ? [] : [balancer]), ...external].join(',') || '<pending>';
    }
    case 'ExternalName':
      return spec.externalName ?? '';
    default:
      return '<unknown>';
  }
}

function ports({ spec }: Service): string {
  return (spec?.ports ?? [])
    .map(p => `${p.port ?? 0}${p.nodePort ? `:${p.nodePort}` : ''}/${p.protocol ?? ''}`)
    .join(',');
}

/** Drops the field from a service that is only a name elsewhere. */
// as pkg/registry/core/service/storage defaultOnReadInternalTrafficPolicy
function dropInternalPolicy(...[draft]: Parameters<Prepare>): void {
  const spec = (draft as Service).spec;
  if (spec?.type === 'ExternalName') delete spec.internalTrafficPolicy;
}
