/** Endpoints and EndpointSlices: validation errors and warnings. */
import { texts } from '../../../kinds/kubernetes/fault-table.js';
import { causes } from './causes.js';

const deprecated = 'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice';
const at = (ip: string) => ({ subsets: [{ addresses: [{ ip }], ports: [{ port: 80 }] }] });
const field = 'subsets[0].addresses[0].ip';

causes('endpoints', [
  {
    name: 'endpoints at 127.0.0.1',
    given: at('127.0.0.1'),
    expect: [`${field}: Invalid value: "127.0.0.1": may not be in the loopback range (127.0.0.0/8, ::1/128)`],
    warnings: [deprecated],
  },
  {
    name: 'endpoints at 169.254.0.1',
    given: at('169.254.0.1'),
    expect: [`${field}: Invalid value: "169.254.0.1": may not be in the link-local range (169.254.0.0/16, fe80::/10)`],
  },
  {
    name: 'endpoints at 0.0.0.0',
    given: at('0.0.0.0'),
    expect: [`${field}: Invalid value: "0.0.0.0": may not be unspecified (0.0.0.0)`],
  },
  {
    name: 'endpoints at ::',
    given: at('::'),
    expect: [`${field}: Invalid value: "::": may not be unspecified (::)`],
  },
  {
    name: 'endpoints at 224.0.0.1',
    given: at('224.0.0.1'),
    expect: [
      `${field}: Invalid value: "224.0.0.1": may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)`,
    ],
  },
  {
    name: 'endpoints at 224.1.1.1',
    given: at('224.1.1.1'),
    expect: [],
  },
  {
    name: 'endpoints at ::1',
    given: at('::1'),
    expect: [`${field}: Invalid value: "::1": may not be in the loopback range (127.0.0.0/8, ::1/128)`],
  },
  {
    name: 'endpoints at fe80::1',
    given: at('fe80::1'),
    expect: [`${field}: Invalid value: "fe80::1": may not be in the link-local range (169.254.0.0/16, fe80::/10)`],
  },
  {
    name: 'endpoints at ff02::1',
    given: at('ff02::1'),
    expect: [
      `${field}: Invalid value: "ff02::1": may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)`,
    ],
  },
  {
    name: 'endpoints at x',
    given: at('x'),
    expect: [
      `${field}: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)`,
      `${field}: Invalid value: "x": must be a valid IP address`,
    ],
  },
  {
    name: 'endpoints at 010.0.0.1',
    given: at('010.0.0.1'),
    expect: [`${field}: Invalid value: "010.0.0.1": must not have leading 0s`],
  },
  {
    name: 'endpoints',
    given: {
      subsets: [
        { addresses: [], ports: [] },
        {
          addresses: [{ ip: '1.2.3.4', hostname: 'A.', nodeName: '_' }],
          notReadyAddresses: [{ ip: '127.0.0.1' }],
          ports: [
            { port: 0, protocol: 'x', name: 'A' },
            { port: 1, appProtocol: 'a b' },
          ],
        },
      ],
    },
    expect: [
      'subsets[0]: Required value: must specify `addresses` or `notReadyAddresses`',
      `subsets[1].addresses[0].hostname: Invalid value: "A.": ${texts.dns1123Label}`,
      `subsets[1].addresses[0].nodeName: Invalid value: "_": ${texts.dns1123Subdomain}`,
      'subsets[1].notReadyAddresses[0].ip: Invalid value: "127.0.0.1": may not be in the loopback range (127.0.0.0/8, ::1/128)',
      `subsets[1].ports[0].name: Invalid value: "A": ${texts.dns1123Label}`,
      'subsets[1].ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive',
      'subsets[1].ports[0].protocol: Unsupported value: "x": supported values: "SCTP", "TCP", "UDP"',
      'subsets[1].ports[1].name: Required value',
      `subsets[1].ports[1].appProtocol: Invalid value: "a b": ${texts.namePart}`,
    ],
  },
  {
    name: 'endpoints in another notation',
    given: at('2001:DB8::1'),
    expect: [],
    warnings: [
      deprecated,
      `${field}: IPv6 address "2001:DB8::1" should be in RFC 5952 canonical format ("2001:db8::1")`,
    ],
  },
]);

causes('endpointslices', [
  {
    name: 'a slice without a type',
    given: { endpoints: [] },
    expect: ['addressType: Required value'],
  },
  {
    name: 'a slice of an unknown type',
    given: { addressType: 'X', endpoints: [] },
    expect: ['addressType: Unsupported value: "X": supported values: "FQDN", "IPv4", "IPv6"'],
  },
  {
    name: 'too many endpoints',
    given: { addressType: 'IPv4', endpoints: Array<object>(1001).fill({ addresses: ['1.2.3.4'] }) },
    expect: ['endpoints: Too many: 1001: must have at most 1000 items'],
  },
  {
    name: 'too many ports',
    given: {
      addressType: 'IPv4',
      endpoints: [],
      ports: Array.from({ length: 20_001 }, (_, i) => ({ port: i + 1 })),
    },
    expect: ['ports: Too many: 20001: must have at most 20000 items'],
  },
  {
    name: 'slices',
    given: {
      addressType: 'IPv4',
      endpoints: [
        { addresses: [] },
        {
          addresses: ['127.0.0.1', '1.2.3.4', '::1', 'x'],
          hostname: 'A.',
          nodeName: '_',
          hints: { forZones: [{ name: 'a' }, { name: 'a' }], forNodes: [{ name: '_' }] },
        },
        { addresses: Array.from({ length: 101 }, (_, i) => `1.1.1.${i}`) },
      ],
      ports: [{ name: 'A', protocol: 'x', port: 0 }, { name: 'a', appProtocol: 'a b' }, { name: 'a' }],
    },
    expect: [
      `ports[0].name: Invalid value: "A": ${texts.dns1123Label}`,
      'ports[0].protocol: Unsupported value: "x": supported values: "SCTP", "TCP", "UDP"',
      `ports[1].appProtocol: Invalid value: "a b": ${texts.namePart}`,
      'ports[2].name: Duplicate value: "a"',
      'endpoints[0].addresses: Required value: must contain at least 1 address',
      'endpoints[1].addresses[0]: Invalid value: "127.0.0.1": may not be in the loopback range (127.0.0.0/8, ::1/128)',
      'endpoints[1].addresses: Invalid value: "::1": must be an IPv4 address',
      'endpoints[1].addresses[2]: Invalid value: "::1": may not be in the loopback range (127.0.0.0/8, ::1/128)',
      'endpoints[1].addresses[3]: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
      `endpoints[1].nodeName: Invalid value: "_": ${texts.dns1123Subdomain}`,
      `endpoints[1].hostname: Invalid value: "A.": ${texts.dns1123Label}`,
      'endpoints[1].hints.forZones[1].name: Duplicate value: "a"',
      `endpoints[1].hints.forNodes[0].name: Invalid value: "_": ${texts.dns1123Subdomain}`,
      'endpoints[2].addresses: Too many: 101: must have at most 100 items',
    ],
  },
  {
    name: 'host names',
    given: { addressType: 'FQDN', endpoints: [{ addresses: ['a_b', 'x', 'a.b'] }] },
    expect: [
      `endpoints[0].addresses[0]: Invalid value: "a_b": ${texts.dns1123Subdomain}`,
      'endpoints[0].addresses[1]: Invalid value: "x": should be a domain with at least two segments separated by dots',
    ],
  },
  {
    name: 'a changed type',
    given: { addressType: 'IPv4', endpoints: [] },
    patch: { addressType: 'IPv6' },
    expect: ['addressType: Invalid value: "IPv6": field is immutable'],
  },
  {
    name: 'an address of a slice in another notation',
    given: { addressType: 'IPv6', endpoints: [{ addresses: ['2001:DB8::1'] }] },
    expect: ['endpoints[0].addresses[0]: Invalid value: "2001:DB8::1": must be in canonical form ("2001:db8::1")'],
    warnings: [],
  },
  {
    name: 'a slice at 127.0.0.1',
    given: { addressType: 'IPv4', endpoints: [{ addresses: ['127.0.0.1'] }] },
    expect: [
      'endpoints[0].addresses[0]: Invalid value: "127.0.0.1": may not be in the loopback range (127.0.0.0/8, ::1/128)',
    ],
  },
]);
