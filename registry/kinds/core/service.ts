import type { NativeKind } from '../native-kind.js';
import { ageCell, labelsCell, loadBalancerCell, nameCell } from '../shared/cells.js';
import { age, name, printer, text, wide } from '../shared/printer.js';
import type { Service } from '../types/core.js';

export const service: NativeKind = {
  group: '',
  kind: 'Service',
  storagePrefix: '/registry/services/specs',
  selectableFields: {
    'spec.clusterIP': object => (object as Service).spec?.clusterIP ?? '',
    'spec.type': object => (object as Service).spec?.type ?? '',
  },
  printer: printer<Service>(
    [name, text('Type'), text('Cluster-IP'), text('External-IP'), text('Port(s)'), age, wide('Selector')],
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
