import t from 'tap';
import { faultTable, texts } from '../fault-table.js';

t.test(
  'network policies are validated',
  async t =>
    await faultTable(
      t,
      ['networking.k8s.io', 'NetworkPolicy'],
      {
        apiVersion: 'networking.k8s.io/v1',
        kind: 'NetworkPolicy',
        metadata: { name: 'n', namespace: 'space' },
        spec: { podSelector: {} },
      },
      [
        {
          name: 'ports',
          given: {
            spec: {
              ingress: [
                {
                  ports: [
                    { protocol: 'X', port: 0 },
                    { port: 'a_', endPort: 5 },
                    { endPort: 5 },
                    { port: 9, endPort: 5 },
                    { port: 9, endPort: 70000 },
                  ],
                },
              ],
            },
          },
          expect: [
            ['spec.ingress[0].ports[0].protocol', 'Unsupported value: "X": supported values: "TCP", "UDP", "SCTP"'],
            ['spec.ingress[0].ports[0].port', 'Invalid value: 0: must be between 1 and 65535, inclusive'],
            ['spec.ingress[0].ports[1].endPort', 'Invalid value: 5: may not be specified when `port` is non-numeric'],
            [
              'spec.ingress[0].ports[1].port',
              'Invalid value: "a_": must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)',
            ],
            ['spec.ingress[0].ports[2].endPort', 'Invalid value: 5: may not be specified when `port` is not specified'],
            ['spec.ingress[0].ports[3].endPort', 'Invalid value: 9: must be greater than or equal to `port`'],
            ['spec.ingress[0].ports[4].endPort', 'Invalid value: 70000: must be between 1 and 65535, inclusive'],
          ],
        },
        {
          name: 'peers',
          given: {
            spec: {
              egress: [
                {
                  to: [
                    {},
                    { podSelector: {}, ipBlock: { cidr: '10.0.0.0/8' } },
                    { ipBlock: { cidr: '' } },
                    { ipBlock: { cidr: '10.0.0.0/8', except: ['x', '11.0.0.0/9', '10.0.0.0/8'] } },
                    { ipBlock: { cidr: 'x' } },
                  ],
                },
              ],
            },
          },
          expect: [
            ['spec.egress[0].to[0]', 'Required value: must specify a peer'],
            ['spec.egress[0].to[1]', 'Forbidden: may not specify both ipBlock and another peer'],
            ['spec.egress[0].to[2].ipBlock.cidr', 'Required value'],
            [
              'spec.egress[0].to[3].ipBlock.except[0]',
              'Invalid value: "x": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)',
            ],
            [
              'spec.egress[0].to[3].ipBlock.except[1]',
              'Invalid value: "11.0.0.0/9": must be a strict subset of `cidr`',
            ],
            [
              'spec.egress[0].to[3].ipBlock.except[2]',
              'Invalid value: "10.0.0.0/8": must be a strict subset of `cidr`',
            ],
            [
              'spec.egress[0].to[4].ipBlock.cidr',
              'Invalid value: "x": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)',
            ],
          ],
        },
        {
          name: 'an unknown type',
          given: { spec: { policyTypes: ['X'] } },
          expect: [['spec.policyTypes[0]', 'Unsupported value: "X": supported values: "Ingress", "Egress"']],
        },
        {
          name: 'too many types',
          given: { spec: { policyTypes: ['Ingress', 'Egress', 'Ingress'] } },
          expect: [
            [
              'spec.policyTypes',
              'Invalid value: ["Ingress","Egress","Ingress"]: may not specify more than two policyTypes',
            ],
          ],
        },
        {
          name: 'a stored invalid selector is tolerated',
          old: { spec: { podSelector: { matchExpressions: [{ key: 'a', operator: 'In', values: ['b c'] }] } } },
          given: { spec: { podSelector: { matchExpressions: [{ key: 'a', operator: 'In', values: ['c d'] }] } } },
          expect: [],
        },
      ],
    ),
);

t.test(
  'IP addresses are validated',
  async t =>
    await faultTable(
      t,
      ['networking.k8s.io', 'IPAddress'],
      {
        apiVersion: 'networking.k8s.io/v1',
        kind: 'IPAddress',
        metadata: { name: '10.0.0.1' },
        spec: { parentRef: { resource: 'services', name: 'n', namespace: 's' } },
      },
      [
        { name: 'no parent', given: { spec: { parentRef: null } }, expect: [['spec.parentRef', 'Required value']] },
        {
          name: 'an invalid parent',
          given: { spec: { parentRef: { group: 'A_', resource: '', name: '', namespace: 'a/b' } } },
          expect: [
            ['spec.parentRef.group', `Invalid value: "A_": ${texts.dns1123Subdomain}`],
            ['spec.parentRef.resource', 'Required value'],
            ['spec.parentRef.name', 'Required value'],
            ['spec.parentRef.namespace', `Invalid value: "a/b": may not contain '/'`],
          ],
        },
        {
          name: 'a changed parent',
          old: {},
          given: { spec: { parentRef: { name: 'm' } } },
          expect: [
            [
              'spec.parentRef',
              'Invalid value: {"Group":"","Resource":"services","Namespace":"s","Name":"m"}: field is immutable',
            ],
          ],
        },
      ],
    ),
);

t.test(
  'service CIDRs are validated',
  async t =>
    await faultTable(
      t,
      ['networking.k8s.io', 'ServiceCIDR'],
      {
        apiVersion: 'networking.k8s.io/v1',
        kind: 'ServiceCIDR',
        metadata: { name: 'n' },
        spec: { cidrs: ['10.0.0.0/16'] },
      },
      [
        {
          name: 'no ranges',
          given: { spec: { cidrs: [] } },
          expect: [['spec.cidrs', 'Required value: at least one CIDR required']],
        },
        {
          name: 'too many ranges',
          given: { spec: { cidrs: ['a', 'b', 'c'] } },
          expect: [['spec.cidrs', 'Invalid value: {"CIDRs":["a","b","c"]}: may only hold up to 2 values']],
        },
        {
          name: 'invalid ranges',
          given: { spec: { cidrs: ['10.0.0.1/16', 'x'] } },
          expect: [
            ['spec.cidrs[0]', 'Invalid value: "10.0.0.1/16": must not have bits set beyond the prefix length'],
            ['spec.cidrs[1]', 'Invalid value: "x": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)'],
          ],
        },
        {
          name: 'two ranges of one family',
          given: { spec: { cidrs: ['10.0.0.0/16', '11.0.0.0/16'] } },
          expect: [
            [
              'spec.cidrs',
              'Invalid value: ["10.0.0.0/16","11.0.0.0/16"]: may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64',
            ],
          ],
        },
        {
          name: 'a changed range',
          old: {},
          given: { spec: { cidrs: ['11.0.0.0/16'] } },
          expect: [['spec.cidrs[0]', 'Invalid value: "11.0.0.0/16": field is immutable']],
        },
        { name: 'an additional range', old: {}, given: { spec: { cidrs: ['10.0.0.0/16', 'fd00::/112'] } }, expect: [] },
        {
          name: 'all ranges removed',
          old: {},
          given: { spec: { cidrs: [] } },
          expect: [['spec.cidrs', 'Invalid value: []: field is immutable']],
        },
      ],
    ),
);

t.test(
  'endpoint slices are validated',
  async t =>
    await faultTable(
      t,
      ['discovery.k8s.io', 'EndpointSlice'],
      {
        apiVersion: 'discovery.k8s.io/v1',
        kind: 'EndpointSlice',
        metadata: { name: 'n', namespace: 'space' },
        addressType: 'IPv4',
        endpoints: [{ addresses: ['1.2.3.4'] }],
      },
      [
        {
          name: 'an unknown type',
          given: { addressType: 'X' },
          expect: [['addressType', 'Unsupported value: "X": supported values: "FQDN", "IPv4", "IPv6"']],
        },
        { name: 'no type', given: { addressType: '' }, expect: [['addressType', 'Required value']] },
        {
          name: 'another family',
          given: { endpoints: [{ addresses: ['fd00::1'] }] },
          expect: [['endpoints[0].addresses', 'Invalid value: "fd00::1": must be an IPv4 address']],
        },
        {
          name: 'addresses of another family',
          given: { addressType: 'IPv6' },
          expect: [['endpoints[0].addresses', 'Invalid value: "1.2.3.4": must be an IPv6 address']],
        },
        {
          name: 'addresses',
          given: { endpoints: [{ addresses: ['127.0.0.1', 'x'] }] },
          expect: [
            [
              'endpoints[0].addresses[0]',
              'Invalid value: "127.0.0.1": may not be in the loopback range (127.0.0.0/8, ::1/128)',
            ],
            [
              'endpoints[0].addresses[1]',
              'Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
            ],
          ],
        },
        {
          name: 'names',
          given: { addressType: 'FQDN', endpoints: [{ addresses: ['x'] }] },
          expect: [
            [
              'endpoints[0].addresses[0]',
              'Invalid value: "x": should be a domain with at least two segments separated by dots',
            ],
          ],
          warnings: ['spec.addressType: FQDN endpoints are deprecated'],
        },
        {
          name: 'no addresses',
          given: { endpoints: [{ addresses: [] }] },
          expect: [['endpoints[0].addresses', 'Required value: must contain at least 1 address']],
        },
        {
          name: 'ports',
          given: { ports: [{ name: 'A' }, { name: '', protocol: 'X' }, { name: '', appProtocol: 'a b' }] },
          expect: [
            ['ports[0].name', `Invalid value: "A": ${texts.dns1123Label}`],
            ['ports[1].protocol', 'Unsupported value: "X": supported values: "SCTP", "TCP", "UDP"'],
            ['ports[2].name', 'Duplicate value: ""'],
            ['ports[2].appProtocol', `Invalid value: "a b": ${texts.namePart}`],
          ],
        },
        {
          name: 'hints',
          given: {
            endpoints: [
              {
                addresses: ['1.2.3.4'],
                hostname: 'A',
                nodeName: 'A',
                hints: { forZones: [{ name: 'a b' }, { name: 'a b' }], forNodes: [{ name: 'A' }] },
              },
            ],
          },
          expect: [
            ['endpoints[0].nodeName', `Invalid value: "A": ${texts.dns1123Subdomain}`],
            ['endpoints[0].hostname', `Invalid value: "A": ${texts.dns1123Label}`],
            ['endpoints[0].hints.forZones[0].name', `Invalid value: "a b": ${texts.labelValue}`],
            ['endpoints[0].hints.forZones[1].name', 'Duplicate value: "a b"'],
            ['endpoints[0].hints.forZones[1].name', `Invalid value: "a b": ${texts.labelValue}`],
            ['endpoints[0].hints.forNodes[0].name', `Invalid value: "A": ${texts.dns1123Subdomain}`],
          ],
        },
        {
          name: 'a changed type',
          old: {},
          given: { addressType: 'FQDN', endpoints: [{ addresses: ['a.b'] }] },
          expect: [['addressType', 'Invalid value: "FQDN": field is immutable']],
        },
        {
          name: 'stored invalid endpoints are tolerated',
          old: { endpoints: [{ addresses: ['x'] }] },
          given: { ports: [{ name: 'a', port: 1 }] },
          expect: [],
        },
      ],
    ),
);
