// as pkg/apis/core/validation ValidateEndpointsCreate, ValidateEndpointsUpdate
import { semanticEqual } from '../../../../lib/json/equality.js';
import { ipWarnings } from '../../../../apimachinery/net/ip.js';
import type { Validate } from '../../../../registry/interface.js';
import type { Field } from '../../../shared/rules/field.js';
import { legacyIp } from '../../../shared/rules/ip-rules.js';
import { dnsLabel, dnsSubdomain, qualifiedName } from '../../../shared/rules/name-rules.js';
import { portNumber } from '../../../shared/rules/port-rules.js';
import { validate } from '../../../shared/rules/validate.js';
import { warnings } from '../../../shared/rules/warnings.js';
import type { EndpointAddress, EndpointPort, EndpointSubset, Endpoints } from '../../../../api/kubernetes/core.js';
import { endpointIp } from './endpoint-rules.js';
import { endpointsManagedByLabel } from '../../../../api/kubernetes/well-known.js';

const protocols = ['SCTP', 'TCP', 'UDP'];

function subsets(list: Field<EndpointSubset[]>): void {
  for (const subset of list.items()) {
    const [ready, others, ports] = [subset.at('addresses'), subset.at('notReadyAddresses'), subset.at('ports')];
    if (ready.isEmpty && others.isEmpty) subset.required('must specify `addresses` or `notReadyAddresses`');
    for (const address of [...ready.items(), ...others.items()]) addressOf(address);
    for (const port of ports.items()) portOf(port, (ports.value ?? []).length > 1);
  }
}

function addressOf(address: Field<EndpointAddress>): void {
  legacyIp(address.at('ip'));
  if (!address.at('hostname').isEmpty) dnsLabel(address.at('hostname'));
  if (address.at('nodeName').isSet) dnsSubdomain(address.at('nodeName'));
  endpointIp(address.at('ip'));
}

function portOf(port: Field<EndpointPort>, isNamed: boolean): void {
  const name = port.at('name');
  if (!name.isEmpty) dnsLabel(name);
  else if (isNamed) name.required();
  portNumber(port.at('port'));
  const protocol = port.at('protocol');
  if (protocol.isEmpty) protocol.required();
  else if (!protocols.includes(protocol.value ?? '')) protocol.notSupported(protocols);
  if (port.at('appProtocol').isSet) qualifiedName(port.at('appProtocol'));
}

/** Invalid subsets that are already stored are accepted if unchanged. */
export const endpointsRules: readonly Validate[] = [
  validate<Endpoints>((endpoints, old) => {
    if (!old || !semanticEqual(old.subsets, endpoints.value?.subsets)) subsets(endpoints.at('subsets'));
  }),
];

export const endpointsWarnings = warnings<Endpoints>((endpoints, warn) => {
  if (endpoints.value?.metadata.labels?.[endpointsManagedByLabel] === 'endpoint-controller') return;
  for (const subset of endpoints.at('subsets').items())
    for (const address of [...subset.at('addresses').items(), ...subset.at('notReadyAddresses').items()])
      for (const text of ipWarnings(`${address.path}.ip`, address.value?.ip ?? '')) warn(text);
});
