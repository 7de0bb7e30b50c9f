import { endpointSliceChangeRules, endpointSliceRules, endpointSliceWarnings } from './endpoint-slice-rules.js';
import type { Prepare } from '../../../registry/interface.js';
import {
  anyOf,
  bumpGenerationWhen,
  changedExcept,
  labelsChanged,
  startGeneration,
} from '../../../registry/strategy/generation.js';
import { strategy } from '../../../registry/strategy/strategy.js';
import type { NativeKind } from '../native-kind.js';
import { ageCell, firstFew, nameCell } from '../../shared/print/cells.js';
import { ageTextColumn, name, printer, textColumn } from '../../../registry/printer.js';
import type { EndpointSlice } from '../../../api/kubernetes/discovery.js';

export const endpointSlice: NativeKind = {
  group: 'discovery.k8s.io',
  kind: 'EndpointSlice',
  printer: printer<EndpointSlice>(
    [name, textColumn('AddressType'), textColumn('Ports'), textColumn('Endpoints'), ageTextColumn],
    (slice, now) => {
      const ports = (slice.ports ?? []).map(p => String(p.port ?? p.name ?? '*'));
      const addresses = (slice.endpoints ?? []).flatMap(e => e.addresses ?? []);
      return [
        nameCell(slice),
        slice.addressType ?? '',
        firstFew(ports, 3) || '<unset>',
        firstFew(addresses, 3) || '<unset>',
        ageCell(slice, now),
      ];
    },
  ),
  strategy: strategy({
    prepareCreate: [startGeneration, dropTopology],
    prepareUpdate: [bumpGenerationWhen(anyOf(changedExcept(), labelsChanged)), dropTopology],
    validateCreate: endpointSliceRules,
    validateUpdate: endpointSliceChangeRules,
    warnings: [endpointSliceWarnings],
    metadataRepeats: ['whole'],
  }),
};

/** Topology of v1beta1 can be read, but not written. */
// as pkg/registry/discovery/endpointslice dropTopologyOnV1
function dropTopology(...[draft, old]: Parameters<Prepare>): void {
  const before = JSON.stringify((old as EndpointSlice | undefined)?.endpoints?.map(e => e.deprecatedTopology ?? null));
  const slice = draft as EndpointSlice;
  const now = JSON.stringify(slice.endpoints?.map(e => e.deprecatedTopology ?? null));
  if (old && before === now) return;
  for (const endpoint of slice.endpoints ?? []) delete endpoint.deprecatedTopology;
}
