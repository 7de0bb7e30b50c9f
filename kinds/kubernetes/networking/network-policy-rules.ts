// as pkg/apis/networking/validation ValidateNetworkPolicy, ValidateNetworkPolicyUpdate
import { cidrContains, cidrWarnings, maskIp, parseCidr } from '../../../apimachinery/net/ip.js';
import { checkPortName, checkPortNum } from '../../../apimachinery/meta/names.js';
import type { Validate } from '../../../registry/interface.js';
import type { Field } from '../../shared/rules/field.js';
import { legacyCidr } from '../../shared/rules/ip-rules.js';
import { isInvalidSelector, labelSelector } from '../../shared/rules/selector-rules.js';
import { validate } from '../../shared/rules/validate.js';
import { warnings } from '../../shared/rules/warnings.js';
import type {
  IPBlock,
  NetworkPolicy,
  NetworkPolicyPeer,
  NetworkPolicyPort,
  NetworkPolicySpec,
} from '../../../api/kubernetes/networking.js';

const protocols = ['TCP', 'UDP', 'SCTP'];
const types = ['Ingress', 'Egress'];

/** Which errors are accepted because the stored policy already has them. */
interface AcceptedErrors {
  readonly selectors: boolean;
  readonly cidrs: readonly string[];
}

function portOf(field: Field<NetworkPolicyPort>): void {
  const protocol = field.at('protocol');
  if (protocol.isSet && !protocols.includes(protocol.value ?? '')) protocol.notSupported(protocols);
  const [port, end] = [field.at('port'), field.at('endPort')];
  const { value } = port;
  if (value === undefined) {
    if (end.isSet) end.invalid('may not be specified when `port` is not specified');
  } else if (typeof value === 'string') {
    if (end.isSet) end.invalid('may not be specified when `port` is non-numeric');
    for (const text of checkPortName(value)) port.invalid(text);
  } else {
    for (const text of checkPortNum(value)) port.invalid(text);
    if (end.value === undefined) return;
    if (end.value < value) end.invalid('must be greater than or equal to `port`', value);
    for (const text of checkPortNum(end.value)) end.invalid(text);
  }
}

function ipBlock(block: Field<IPBlock>, { cidrs }: AcceptedErrors): void {
  const cidr = block.at('cidr');
  if (cidr.isEmpty) {
    cidr.required();
    return;
  }
  legacyCidr(cidr, cidrs);
  const outer = parseCidr(cidr.value ?? '', { sloppy: true });
  if (!outer) return;
  for (const except of block.at('except').items()) {
    legacyCidr(except, cidrs);
    const inner = parseCidr(except.value ?? '', { sloppy: true });
    if (inner && !(cidrContains(outer, maskIp(inner.address, inner.bits)) && outer.bits < inner.bits))
      except.invalid('must be a strict subset of `cidr`', except.value ?? '');
  }
}

function peerOf(peer: Field<NetworkPolicyPeer>, accepted: AcceptedErrors): void {
  const selectors = [peer.at('podSelector'), peer.at('namespaceSelector')];
  for (const selector of selectors) labelSelector(selector, accepted.selectors);
  const block = peer.at('ipBlock');
  if (block.isSet) ipBlock(block, accepted);
  const others = selectors.some(selector => selector.isSet);
  if (!others && !block.isSet) peer.required('must specify a peer');
  if (others && block.isSet) peer.forbidden('may not specify both ipBlock and another peer');
}

interface Way {
  readonly ports: Field<NetworkPolicyPort[]>;
  readonly peers: Field<NetworkPolicyPeer[]>;
}

function ways(spec: Field<NetworkPolicySpec>): Way[] {
  return [
    ...spec
      .at('ingress')
      .items()
      .map(rule => ({ ports: rule.at('ports'), peers: rule.at('from') })),
    ...spec
      .at('egress')
      .items()
      .map(rule => ({ ports: rule.at('ports'), peers: rule.at('to') })),
  ];
}

function acceptedErrors(old: NetworkPolicy | undefined): AcceptedErrors {
  const blocks = [
    ...(old?.spec?.ingress ?? []).flatMap(rule => rule.from ?? []),
    ...(old?.spec?.egress ?? []).flatMap(rule => rule.to ?? []),
  ].flatMap(peer => peer.ipBlock ?? []);
  return {
    selectors: isInvalidSelector(old?.spec?.podSelector),
    cidrs: blocks.flatMap(block => [block.cidr ?? '', ...(block.except ?? [])]),
  };
}

export const networkPolicyRules: readonly Validate[] = [
  validate<NetworkPolicy>((policy, old) => {
    const spec = policy.at('spec');
    const accepted = acceptedErrors(old);
    labelSelector(spec.at('podSelector'), accepted.selectors);
    for (const { ports, peers } of ways(spec)) {
      for (const port of ports.items()) portOf(port);
      for (const peer of peers.items()) peerOf(peer, accepted);
    }
    const list = spec.at('policyTypes');
    if ((list.value ?? []).length > types.length) list.invalid('may not specify more than two policyTypes');
    else for (const type of list.items()) if (!types.includes(type.value ?? '')) type.notSupported(types);
  }),
];

// as pkg/registry/networking/networkpolicy networkPolicyWarnings
export const networkPolicyWarnings = warnings<NetworkPolicy>((policy, warn) => {
  for (const { peers } of ways(policy.at('spec')))
    for (const peer of peers.items()) {
      const block = peer.at('ipBlock');
      if (!block.isSet) continue;
      for (const cidr of [block.at('cidr'), ...block.at('except').items()])
        for (const text of cidrWarnings(cidr.path, cidr.value ?? '')) warn(text);
    }
});
