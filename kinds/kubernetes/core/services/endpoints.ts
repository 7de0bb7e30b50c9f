import { endpointsRules, endpointsWarnings } from './endpoints-rules.js';
import { strategy } from '../../../../registry/strategy/strategy.js';
import type { NativeKind } from '../../native-kind.js';
import { ageCell, firstFew, nameCell } from '../../../shared/print/cells.js';
import { ageTextColumn, name, printer, textColumn } from '../../../../registry/printer.js';
import type { Endpoints, EndpointSubset } from '../../../../api/kubernetes/core.js';

export const endpoints: NativeKind = {
  group: '',
  kind: 'Endpoints',
  storagePrefix: '/registry/services/endpoints',
  printer: printer<Endpoints>([name, textColumn('Endpoints'), ageTextColumn], (e, now) => [
    nameCell(e),
    endpointsCell(e.subsets ?? []),
    ageCell(e, now),
  ]),
  deprecations: { v1: 'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice' },
  strategy: strategy({
    createOnUpdate: true,
    validateCreate: endpointsRules,
    validateUpdate: endpointsRules,
    warnings: [endpointsWarnings],
    metadataRepeats: ['change', 'whole'],
  }),
};

/** Lists every address with every port; without ports only the addresses, as headless services have them. */
// as pkg/printers/internalversion formatEndpoints
function endpointsCell(subsets: readonly EndpointSubset[]): string {
  if (subsets.length === 0) return '<none>';
  const entries = subsets.flatMap(subset => {
    const ips = (subset.addresses ?? []).map(a => a.ip ?? '');
    const ports = subset.ports ?? [];
    return ports.length === 0 ? ips : ports.flatMap(port => ips.map(ip => hostPort(ip, port.port ?? 0)));
  });
  return firstFew(entries, 3);
}

function hostPort(host: string, port: number): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}
