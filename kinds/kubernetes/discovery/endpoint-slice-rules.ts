// as pkg/apis/discovery/validation ValidateEndpointSlice, ValidateEndpointSliceUpdate
import { semanticEqual } from '../../../lib/json/equality.js';
import { ipFaults, ipWarnings, isV4, parseIp } from '../../../apimachinery/net/ip.js';
import {
  checkDns1123Subdomain,
  checkLabelValue,
  fullyQualifiedDomainNameFaults,
} from '../../../apimachinery/meta/names.js';
import type { Validate } from '../../../registry/interface.js';
import { endpointIp } from '../core/services/endpoint-rules.js';
import type { Field } from '../../shared/rules/field.js';
import { immutable } from '../../shared/rules/immutable.js';
import { legacyIp } from '../../shared/rules/ip-rules.js';
import { dnsLabel, dnsSubdomain, qualifiedName } from '../../shared/rules/name-rules.js';
import { validate, validateChange } from '../../shared/rules/validate.js';
import { warnings } from '../../shared/rules/warnings.js';
import type { Endpoint, EndpointHints, EndpointPort, EndpointSlice } from '../../../api/kubernetes/discovery.js';
import { endpointSliceManagedByLabel } from '../../../api/kubernetes/well-known.js';

const addressTypes = ['FQDN', 'IPv4', 'IPv6'];
const protocols = ['SCTP', 'TCP', 'UDP'];
const maxAddresses = 100;
const maxPorts = 20_000;
const maxEndpoints = 1000;
const maxHints = 8;

/** Reports whether the list is short enough to be validated. */
function withinLimit(list: Field<unknown[]>, max: number): boolean {
  const count = (list.value ?? []).length;
  if (count > max) list.tooMany(count, max);
  return count <= max;
}

function ports(list: Field<EndpointPort[]>): void {
  if (!withinLimit(list, maxPorts)) return;
  const seen = new Set<string>();
  for (const port of list.items()) {
    const [name, protocol] = [port.at('name'), port.at('protocol')];
    const text = name.value ?? '';
    if (text !== '') dnsLabel(name);
    if (seen.has(text)) name.duplicate(text);
    seen.add(text);
    if (!protocol.isSet) protocol.required();
    else if (!protocols.includes(protocol.value ?? '')) protocol.notSupported(protocols);
    if (port.at('appProtocol').isSet) qualifiedName(port.at('appProtocol'));
  }
}

function ipOf(address: Field<string>, addresses: Field<string[]>, family: 'IPv4' | 'IPv6'): void {
  const isSound = address.passes(() => {
    if (family === 'IPv4') legacyIp(address);
    else address.add(...ipFaults(address.path, address.value ?? ''));
  });
  if (!isSound) return;
  const parsed = parseIp(address.value ?? '', { sloppy: true });
  if (parsed && isV4(parsed) !== (family === 'IPv4'))
    addresses.invalid(`must be an ${family} address`, address.value ?? '');
  endpointIp(address);
}

function addresses(list: Field<string[]>, type: string | undefined): void {
  const count = (list.value ?? []).length;
  if (count === 0) list.required('must contain at least 1 address');
  else if (count > maxAddresses) list.tooMany(count, maxAddresses);
  for (const address of list.items()) {
    if (type === 'IPv4' || type === 'IPv6') ipOf(address, list, type);
    else if (type === 'FQDN') address.add(...fullyQualifiedDomainNameFaults(address.path, address.value ?? ''));
  }
}

function endpointOf(endpoint: Field<Endpoint>, type: string | undefined): void {
  addresses(endpoint.at('addresses'), type);
  if (endpoint.at('nodeName').isSet) dnsSubdomain(endpoint.at('nodeName'));
  if (endpoint.at('hostname').isSet) dnsLabel(endpoint.at('hostname'));
  hints(endpoint.at('hints'));
}

function hints(field: Field<EndpointHints>): void {
  const kinds = [
    [field.at('forZones'), checkLabelValue],
    [field.at('forNodes'), checkDns1123Subdomain],
  ] as const;
  for (const [list, check] of kinds) {
    if (!withinLimit(list, maxHints)) return;
    const seen = new Set<string>();
    for (const hint of list.items()) {
      const name = hint.at('name');
      if (seen.has(name.value ?? '')) name.duplicate();
      seen.add(name.value ?? '');
      name.check(check);
    }
  }
}

/** Invalid endpoints that are already stored are accepted if unchanged. */
export const endpointSliceRules: readonly Validate[] = [
  validate<EndpointSlice>((slice, old) => {
    const type = slice.at('addressType');
    if (type.isEmpty) type.required();
    else if (!addressTypes.includes(type.value ?? '')) type.notSupported(addressTypes);
    ports(slice.at('ports'));
    const list = slice.at('endpoints');
    if (old && semanticEqual(old.endpoints, list.value)) return;
    if (!withinLimit(list, maxEndpoints)) return;
    for (const endpoint of list.items()) endpointOf(endpoint, type.value);
  }),
];

export const endpointSliceChangeRules: readonly Validate[] = [
  ...endpointSliceRules,
  validateChange<EndpointSlice>((slice, old) => {
    immutable(slice.at('addressType'), old.addressType);
  }),
];

const controllers = ['endpointslice-controller.k8s.io', 'endpointslicemirroring-controller.k8s.io'];

// as pkg/registry/discovery/endpointslice warnOnDeprecatedAddressType, warnOnBadIPs
export const endpointSliceWarnings = warnings<EndpointSlice>((slice, warn, old) => {
  if (!old && slice.value?.addressType === 'FQDN') warn('spec.addressType: FQDN endpoints are deprecated');
  if (controllers.includes(slice.value?.metadata.labels?.[endpointSliceManagedByLabel] ?? '')) return;
  for (const endpoint of slice.at('endpoints').items())
    for (const address of endpoint.at('addresses').items())
      for (const text of ipWarnings(address.path, address.value ?? '')) warn(text);
});
