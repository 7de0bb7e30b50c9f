/** Services: validation errors and warnings. */
import { texts } from '../../../kinds/kubernetes/fault-table.js';
import { causes } from './causes.js';

const ports = [{ port: 80 }];

causes('services', [
  {
    name: 'no ports',
    given: { spec: {} },
    expect: ['spec.ports: Required value'],
  },
  {
    name: 'a headless service without ports',
    given: { spec: { clusterIP: 'None' } },
    expect: [],
  },
  {
    name: 'no external name',
    given: { spec: { type: 'ExternalName' } },
    expect: ['spec.externalName: Required value'],
  },
  {
    name: 'an invalid external name, and an address',
    given: { spec: { type: 'ExternalName', externalName: 'A_b', clusterIP: '10.0.0.5' } },
    expect: [
      'spec.clusterIPs: Forbidden: may not be set for ExternalName services',
      `spec.externalName: Invalid value: "A_b": ${texts.dns1123Subdomain}`,
    ],
  },
  {
    name: 'an unknown type',
    given: { spec: { type: 'X', ports } },
    expect: [
      'spec.type: Unsupported value: "X": supported values: "ClusterIP", "ExternalName", "LoadBalancer", "NodePort"',
    ],
  },
  {
    name: 'ports',
    given: {
      spec: {
        ports: [
          { port: 0 },
          { port: 80, targetPort: 0, protocol: 'x', name: 'A.' },
          { port: 80, targetPort: 'A-', name: 'a' },
          { port: 80, name: 'a' },
        ],
      },
    },
    expect: [
      'spec.ports[0].name: Required value',
      'spec.ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive',
      'spec.ports[0].targetPort: Invalid value: 0: must be between 1 and 65535, inclusive',
      `spec.ports[1].name: Invalid value: "A.": ${texts.dns1123Label}`,
      'spec.ports[1].protocol: Unsupported value: "x": supported values: "SCTP", "TCP", "UDP"',
      'spec.ports[2].targetPort: Invalid value: "A-": must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)',
      'spec.ports[2].targetPort: Invalid value: "A-": must contain at least one letter (a-z)',
      'spec.ports[2].targetPort: Invalid value: "A-": must not begin or end with a hyphen',
      'spec.ports[3].name: Duplicate value: "a"',
      'spec.ports[3]: Duplicate value: {"Name":"","Protocol":"TCP","AppProtocol":null,"Port":80,"TargetPort":0,"NodePort":0}',
    ],
  },
  {
    name: 'a duplicate port',
    given: {
      spec: {
        ports: [
          { port: 80, name: 'a' },
          { port: 80, name: 'b' },
        ],
      },
    },
    expect: [
      'spec.ports[1]: Duplicate value: {"Name":"","Protocol":"TCP","AppProtocol":null,"Port":80,"TargetPort":0,"NodePort":0}',
    ],
  },
  {
    name: 'an unknown affinity',
    given: { spec: { ports, sessionAffinity: 'X' } },
    expect: ['spec.sessionAffinity: Unsupported value: "X": supported values: "ClientIP", "None"'],
  },
  {
    name: 'an affinity timeout above the maximum',
    given: {
      spec: { ports, sessionAffinity: 'ClientIP', sessionAffinityConfig: { clientIP: { timeoutSeconds: 86401 } } },
    },
    expect: [
      'spec.sessionAffinityConfig.clientIP.timeoutSeconds: Invalid value: 86401: must be greater than 0 and less than 86400',
    ],
  },
  {
    name: 'an affinity timeout of zero',
    given: { spec: { ports, sessionAffinity: 'ClientIP', sessionAffinityConfig: { clientIP: { timeoutSeconds: 0 } } } },
    expect: [
      'spec.sessionAffinityConfig.clientIP.timeoutSeconds: Invalid value: 0: must be greater than 0 and less than 86400',
    ],
  },
  {
    name: 'an affinity timeout of a day',
    given: {
      spec: { ports, sessionAffinity: 'ClientIP', sessionAffinityConfig: { clientIP: { timeoutSeconds: 86400 } } },
    },
    expect: [],
  },
  {
    name: 'an address out of range',
    given: { spec: { ports, clusterIP: '1.2.3.4' } },
    expect: [
      'spec.clusterIPs: Invalid value: ["1.2.3.4"]: failed to allocate IP 1.2.3.4: the provided IP (1.2.3.4) is not in the valid range. The range of valid IPs is 10.96.0.0/12',
    ],
  },
  {
    name: 'an invalid address',
    given: { spec: { ports, clusterIP: 'x' } },
    expect: ['spec.clusterIPs[0]: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'],
  },
  {
    name: 'a node port of the type ClusterIP',
    given: { spec: { ports: [{ port: 80, nodePort: 30000 }] } },
    expect: ["spec.ports[0].nodePort: Forbidden: may not be used when `type` is 'ClusterIP'"],
  },
  {
    name: 'a duplicate node port',
    given: {
      spec: {
        type: 'NodePort',
        ports: [
          { port: 80, nodePort: 30500, name: 'a' },
          { port: 81, nodePort: 30500, name: 'b' },
        ],
      },
    },
    expect: ['spec.ports[1].nodePort: Duplicate value: 30500'],
  },
  {
    name: 'fields of load balancers',
    given: {
      spec: {
        ports,
        loadBalancerSourceRanges: ['x'],
        loadBalancerClass: 'a',
        externalTrafficPolicy: 'Local',
        healthCheckNodePort: 30001,
        allocateLoadBalancerNodePorts: true,
      },
    },
    expect: [
      "spec.LoadBalancerSourceRanges: Forbidden: may only be used when `type` is 'LoadBalancer'",
      'spec.LoadBalancerSourceRanges[0]: Invalid value: "x": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)',
      "spec.allocateLoadBalancerNodePorts: Forbidden: may only be used when `type` is 'LoadBalancer'",
      "spec.loadBalancerClass: Forbidden: may only be used when `type` is 'LoadBalancer'",
      'spec.externalTrafficPolicy: Invalid value: "Local": may only be set for externally-accessible services',
      "spec.healthCheckNodePort: Invalid value: 30001: may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'",
    ],
  },
  {
    name: 'invalid values of a load balancer',
    given: {
      spec: {
        ports,
        type: 'LoadBalancer',
        loadBalancerSourceRanges: ['x'],
        externalTrafficPolicy: 'X',
        internalTrafficPolicy: 'Y',
        trafficDistribution: 'Z',
      },
    },
    expect: [
      'spec.LoadBalancerSourceRanges[0]: Invalid value: "x": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)',
      'spec.externalTrafficPolicy: Unsupported value: "X": supported values: "Cluster", "Local"',
      'spec.internalTrafficPolicy: Unsupported value: "Y": supported values: "Cluster", "Local"',
      'spec.trafficDistribution: Unsupported value: "Z": supported values: "PreferClose", "PreferSameZone", "PreferSameNode"',
    ],
  },
  {
    name: 'an unknown policy of families',
    given: { spec: { ports, ipFamilyPolicy: 'Z' } },
    expect: [
      'spec.ipFamilyPolicy: Unsupported value: "Z": supported values: "PreferDualStack", "RequireDualStack", "SingleStack"',
    ],
  },
  {
    name: 'a duplicate family',
    given: { spec: { ports, ipFamilies: ['IPv4', 'IPv4'], ipFamilyPolicy: 'PreferDualStack' } },
    expect: ['spec.ipFamilies[1]: Duplicate value: "IPv4"'],
  },
  {
    name: 'dual stack',
    given: { spec: { ports, ipFamilyPolicy: 'RequireDualStack' } },
    expect: [
      'spec.ipFamilyPolicy: Invalid value: "RequireDualStack": this cluster is not configured for dual-stack services',
    ],
  },
  {
    name: 'two different first addresses',
    given: { spec: { ports, clusterIP: '10.0.0.7', clusterIPs: ['10.0.0.8'] } },
    expect: ['spec.clusterIPs: Invalid value: ["10.0.0.8"]: first value must match `clusterIP`'],
  },
  {
    name: 'addresses without the first',
    given: { spec: { ports, clusterIPs: ['10.0.0.8'] } },
    expect: ['spec.clusterIPs: Invalid value: ["10.0.0.8"]: must be empty when `clusterIP` is not specified'],
  },
  {
    name: 'an invalid selector and external addresses',
    given: { spec: { ports, selector: { 'a b': '-' }, externalIPs: ['127.0.0.1', 'x'] } },
    expect: [
      `spec.selector: Invalid value: "a b": ${texts.namePart}`,
      `spec.selector: Invalid value: "-": ${texts.labelValue}`,
      'spec.externalIPs[0]: Invalid value: "127.0.0.1": may not be in the loopback range (127.0.0.0/8, ::1/128)',
      'spec.externalIPs[1]: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
    ],
  },
  {
    name: 'an invalid name',
    given: { metadata: { name: '1.a' }, spec: { ports } },
    expect: ['metadata.name: Invalid value: "1.a": must not contain dots'],
  },
  {
    name: 'a changed address',
    given: { spec: { type: 'NodePort', ports } },
    patch: { spec: { clusterIP: '10.96.0.77' } },
    expect: ['spec.clusterIPs[0]: Invalid value: ["10.96.0.77"]: may not change once set'],
  },
  {
    name: 'an update without an address keeps it',
    given: { spec: { type: 'NodePort', ports } },
    patch: { spec: { clusterIP: '' } },
    expect: [],
  },
  {
    name: 'a change to ExternalName',
    given: { spec: { type: 'NodePort', ports } },
    patch: { spec: { type: 'ExternalName', externalName: 'a.b', clusterIP: null, clusterIPs: null } },
    expect: [],
  },
  {
    name: 'a change to ClusterIP',
    given: { spec: { type: 'NodePort', ports } },
    patch: { spec: { type: 'ClusterIP' } },
    expect: [],
  },
  {
    name: 'removed ports',
    given: { spec: { type: 'NodePort', ports } },
    patch: { spec: { ports: null } },
    expect: ['spec.ports: Required value'],
  },
  {
    name: 'a changed class',
    given: { spec: { type: 'LoadBalancer', loadBalancerClass: 'a.b/c', ports } },
    patch: { spec: { loadBalancerClass: 'a.b/d' } },
    expect: ['spec.loadBalancerClass: Invalid value: "a.b/d": may not change once set'],
  },
  {
    name: 'the status of a load balancer',
    given: { spec: { type: 'LoadBalancer', ports } },
    patch: {
      status: {
        loadBalancer: {
          ingress: [{ ip: 'x', hostname: '-', ipMode: 'Z' }, { ip: '1.1.1.1' }, { hostname: '1.1.1.1', ipMode: 'VIP' }],
        },
      },
    },
    part: 'status',
    expect: [
      'status.loadBalancer.ingress[0].ip: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
      'status.loadBalancer.ingress[0].ipMode: Unsupported value: "Z": supported values: "Proxy", "VIP"',
      `status.loadBalancer.ingress[0].hostname: Invalid value: "-": ${texts.dns1123Subdomain}`,
      'status.loadBalancer.ingress[2].ipMode: Forbidden: may not be specified when `ip` is not set',
      'status.loadBalancer.ingress[2].hostname: Invalid value: "1.1.1.1": must be a DNS name, not an IP address',
    ],
  },
  {
    name: 'the status of another type',
    given: { spec: { ports } },
    patch: { status: { loadBalancer: { ingress: [{ ip: '1.1.1.1' }] } } },
    part: 'status',
    expect: ["status.loadBalancer.ingress: Forbidden: may only be used when `spec.type` is 'LoadBalancer'"],
  },
  {
    name: 'external addresses',
    given: { spec: { ports, externalIPs: ['1.2.3.4'] } },
    expect: [],
    warnings: ['spec.externalIPs is deprecated and may no longer be implemented in some clusters'],
  },
  {
    name: 'the address of a load balancer',
    given: {
      spec: { ports, type: 'LoadBalancer', loadBalancerIP: '1.2.3.4', loadBalancerSourceRanges: ['10.0.0.1/8'] },
    },
    expect: [
      'spec.LoadBalancerSourceRanges[0]: Invalid value: "10.0.0.1/8": must not have bits set beyond the prefix length',
    ],
    warnings: [],
  },
  {
    name: 'traffic distribution by its old name',
    given: {
      metadata: { name: 'w', annotations: { 'service.kubernetes.io/topology-aware-hints': 'auto' } },
      spec: { ports, trafficDistribution: 'PreferClose' },
    },
    expect: [],
    warnings: [
      'annotation service.kubernetes.io/topology-aware-hints is deprecated, please use service.kubernetes.io/topology-mode instead',
      'spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"',
    ],
  },
  {
    name: 'addresses in another notation',
    given: {
      spec: {
        type: 'LoadBalancer',
        ports: [{ port: 1 }],
        loadBalancerIP: '2001:DB8::1',
        externalIPs: ['2001:DB8::2'],
        loadBalancerSourceRanges: ['2001:DB8::/32'],
      },
    },
    expect: [],
    warnings: [
      'spec.externalIPs[0]: IPv6 address "2001:DB8::2" should be in RFC 5952 canonical format ("2001:db8::2")',
      'spec.externalIPs is deprecated and may no longer be implemented in some clusters',
      'spec.loadBalancerIP: IPv6 address "2001:DB8::1" should be in RFC 5952 canonical format ("2001:db8::1")',
      'spec.loadBalancerSourceRanges[0]: IPv6 CIDR value "2001:DB8::/32" should be in RFC 5952 canonical format ("2001:db8::/32")',
    ],
  },
  {
    name: 'ignored fields of headless services',
    given: { spec: { clusterIP: 'None', externalIPs: ['1.2.3.4'], sessionAffinity: 'ClientIP' } },
    expect: [],
    warnings: [
      'spec.externalIPs is ignored for headless services',
      'spec.SessionAffinity is ignored for headless services',
    ],
  },
]);
