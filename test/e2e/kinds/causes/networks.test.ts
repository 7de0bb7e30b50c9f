/** NetworkPolicies, IPAddresses and ServiceCIDRs: validation errors and warnings. */
import { texts } from '../../../kinds/kubernetes/fault-table.js';
import { causes } from './causes.js';

causes('networkpolicies', [
  {
    name: 'exceptions',
    given: {
      spec: {
        podSelector: {},
        ingress: [
          { from: [{ ipBlock: { cidr: '10.0.0.0/8', except: ['11.0.0.0/16', 'x', '10.0.0.0/8', '10.1.0.0/16'] } }] },
        ],
      },
    },
    expect: [
      'spec.ingress[0].from[0].ipBlock.except[0]: Invalid value: "11.0.0.0/16": must be a strict subset of `cidr`',
      'spec.ingress[0].from[0].ipBlock.except[1]: Invalid value: "x": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)',
      'spec.ingress[0].from[0].ipBlock.except[2]: Invalid value: "10.0.0.0/8": must be a strict subset of `cidr`',
    ],
  },
  {
    name: 'ranges',
    given: { spec: { podSelector: {}, egress: [{ to: [{ ipBlock: { cidr: '' } }, { ipBlock: { cidr: 'x' } }] }] } },
    expect: [
      'spec.egress[0].to[0].ipBlock.cidr: Required value',
      'spec.egress[0].to[1].ipBlock.cidr: Invalid value: "x": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)',
    ],
  },
  {
    name: 'peers',
    given: {
      spec: {
        podSelector: {},
        ingress: [
          {
            from: [
              { podSelector: {}, ipBlock: { cidr: '10.0.0.0/8' } },
              {},
              { podSelector: { matchLabels: { 'a b': 'c' } } },
            ],
          },
        ],
      },
    },
    expect: [
      'spec.ingress[0].from[0]: Forbidden: may not specify both ipBlock and another peer',
      'spec.ingress[0].from[1]: Required value: must specify a peer',
      `spec.ingress[0].from[2].podSelector.matchLabels: Invalid value: "a b": ${texts.namePart}`,
    ],
  },
  {
    name: 'ports',
    given: {
      spec: {
        podSelector: {},
        ingress: [
          {
            ports: [
              { port: 0 },
              { port: 'A_', endPort: 3 },
              { endPort: 3 },
              { port: 5, endPort: 4 },
              { port: 1, endPort: 70000 },
              { protocol: 'X', port: 1 },
            ],
          },
        ],
      },
    },
    expect: [
      'spec.ingress[0].ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive',
      'spec.ingress[0].ports[1].endPort: Invalid value: 3: may not be specified when `port` is non-numeric',
      'spec.ingress[0].ports[1].port: Invalid value: "A_": must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)',
      'spec.ingress[0].ports[1].port: Invalid value: "A_": must contain at least one letter (a-z)',
      'spec.ingress[0].ports[2].endPort: Invalid value: 3: may not be specified when `port` is not specified',
      'spec.ingress[0].ports[3].endPort: Invalid value: 5: must be greater than or equal to `port`',
      'spec.ingress[0].ports[4].endPort: Invalid value: 70000: must be between 1 and 65535, inclusive',
      'spec.ingress[0].ports[5].protocol: Unsupported value: "X": supported values: "TCP", "UDP", "SCTP"',
    ],
  },
  {
    name: 'directions',
    given: { spec: { podSelector: {}, policyTypes: ['X', 'Ingress'] } },
    expect: ['spec.policyTypes[0]: Unsupported value: "X": supported values: "Ingress", "Egress"'],
  },
  {
    name: 'too many directions',
    given: { spec: { podSelector: {}, policyTypes: ['Ingress', 'Egress', 'Ingress'] } },
    expect: [
      'spec.policyTypes: Invalid value: ["Ingress","Egress","Ingress"]: may not specify more than two policyTypes',
    ],
  },
  {
    name: 'pods',
    given: { spec: { podSelector: { matchExpressions: [{ key: 'a', operator: 'In' }] } } },
    expect: [
      "spec.podSelector.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
    ],
  },
  {
    name: 'ranges in another notation',
    given: { spec: { podSelector: {}, egress: [{ to: [{ ipBlock: { cidr: '2001:DB8::/32' } }] }] } },
    expect: [],
    warnings: [
      'spec.egress[0].to[0].ipBlock.cidr: IPv6 CIDR value "2001:DB8::/32" should be in RFC 5952 canonical format ("2001:db8::/32")',
    ],
  },
]);

causes('ipaddresses', [
  {
    name: 'address',
    given: { metadata: { name: '010.0.0.1' }, spec: { parentRef: { resource: '', name: '' } } },
    expect: [
      'metadata.name: Invalid value: "010.0.0.1": must not have leading 0s',
      'spec.parentRef.resource: Required value',
      'spec.parentRef.name: Required value',
    ],
  },
  {
    name: 'address: a changed parent',
    given: { metadata: { name: '10.9.8.7' }, spec: { parentRef: { resource: 'services', name: 's', namespace: 'n' } } },
    patch: { spec: { parentRef: { name: 't' } } },
    expect: [
      'spec.parentRef: Invalid value: {"Group":"","Resource":"services","Namespace":"n","Name":"t"}: field is immutable',
    ],
  },
]);

causes('servicecidrs', [
  {
    name: 'ranges',
    given: { spec: { cidrs: ['10.0.0.1/8', 'x'] } },
    expect: [
      'spec.cidrs[0]: Invalid value: "10.0.0.1/8": must not have bits set beyond the prefix length',
      'spec.cidrs[1]: Invalid value: "x": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)',
    ],
  },
  {
    name: 'service CIDR: no ranges',
    given: { spec: {} },
    expect: ['spec.cidrs: Required value: at least one CIDR required'],
  },
]);
