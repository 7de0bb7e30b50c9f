import t from 'tap';
import { faultTable, texts } from '../../fault-table.js';

t.test(
  'services are validated',
  async t =>
    await faultTable(
      t,
      ['', 'Service'],
      {
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name: 'n', namespace: 'space' },
        spec: { ports: [{ port: 80 }], selector: { a: 'b' } },
      },
      [
        { name: 'no ports', given: { spec: { ports: null } }, expect: [['spec.ports', 'Required value']] },
        {
          name: 'ports without names',
          given: { spec: { ports: [{ port: 80 }, { port: 81 }] } },
          expect: [
            ['spec.ports[0].name', 'Required value'],
            ['spec.ports[1].name', 'Required value'],
          ],
        },
        {
          name: 'a port twice',
          given: {
            spec: {
              ports: [
                { name: 'a', port: 80 },
                { name: 'a', port: 80 },
              ],
            },
          },
          expect: [
            ['spec.ports[1].name', 'Duplicate value: "a"'],
            [
              'spec.ports[1]',
              'Duplicate value: {"Name":"","Protocol":"TCP","AppProtocol":null,"Port":80,"TargetPort":0,"NodePort":0}',
            ],
          ],
        },
        {
          name: 'ports',
          given: {
            spec: {
              ports: [
                { port: 0, protocol: 'X', targetPort: 0, nodePort: 5, appProtocol: 'a b' },
                { name: 'A', port: 70000, targetPort: 'UPPER_x' },
              ],
            },
          },
          expect: [
            ['spec.ports[0].name', 'Required value'],
            ['spec.ports[0].port', 'Invalid value: 0: must be between 1 and 65535, inclusive'],
            ['spec.ports[0].protocol', 'Unsupported value: "X": supported values: "SCTP", "TCP", "UDP"'],
            ['spec.ports[0].targetPort', 'Invalid value: 0: must be between 1 and 65535, inclusive'],
            ['spec.ports[0].appProtocol', `Invalid value: "a b": ${texts.namePart}`],
            ['spec.ports[1].name', `Invalid value: "A": ${texts.dns1123Label}`],
            ['spec.ports[1].port', 'Invalid value: 70000: must be between 1 and 65535, inclusive'],
            [
              'spec.ports[1].targetPort',
              'Invalid value: "UPPER_x": must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)',
            ],
            ['spec.ports[0].nodePort', "Forbidden: may not be used when `type` is 'ClusterIP'"],
          ],
        },
        {
          name: 'an unknown type',
          given: { spec: { type: 'X' } },
          expect: [
            [
              'spec.type',
              'Unsupported value: "X": supported values: "ClusterIP", "ExternalName", "LoadBalancer", "NodePort"',
            ],
          ],
        },
        {
          name: 'no external name',
          given: { spec: { type: 'ExternalName', ports: null } },
          expect: [['spec.externalName', 'Required value']],
        },
        {
          name: 'unknown families',
          given: { spec: { ipFamilyPolicy: 'X', ipFamilies: ['IPv4', 'IPv4', 'Z'] } },
          expect: [
            ['spec.ipFamilies[1]', 'Duplicate value: "IPv4"'],
            ['spec.ipFamilies[2]', 'Unsupported value: "Z": supported values: "IPv4", "IPv6"'],
            [
              'spec.ipFamilyPolicy',
              'Unsupported value: "X": supported values: "PreferDualStack", "RequireDualStack", "SingleStack"',
            ],
          ],
        },
        {
          name: 'an unknown affinity',
          given: { spec: { sessionAffinity: 'X' } },
          expect: [['spec.sessionAffinity', 'Unsupported value: "X": supported values: "ClientIP", "None"']],
        },
        {
          name: 'affinity settings without an affinity',
          given: { spec: { sessionAffinityConfig: { clientIP: { timeoutSeconds: 1 } } } },
          expect: [],
        },
        {
          name: 'an affinity timeout above the maximum',
          given: {
            spec: { sessionAffinity: 'ClientIP', sessionAffinityConfig: { clientIP: { timeoutSeconds: 86401 } } },
          },
          expect: [
            [
              'spec.sessionAffinityConfig.clientIP.timeoutSeconds',
              'Invalid value: 86401: must be greater than 0 and less than 86400',
            ],
          ],
        },
        {
          name: 'external addresses',
          given: { spec: { externalIPs: ['x', '127.0.0.1', '0.0.0.0', '224.0.0.1', '169.254.1.1', '010.1.1.1'] } },
          expect: [
            [
              'spec.externalIPs[0]',
              'Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
            ],
            [
              'spec.externalIPs[1]',
              'Invalid value: "127.0.0.1": may not be in the loopback range (127.0.0.0/8, ::1/128)',
            ],
            ['spec.externalIPs[2]', 'Invalid value: "0.0.0.0": may not be unspecified (0.0.0.0)'],
            [
              'spec.externalIPs[3]',
              'Invalid value: "224.0.0.1": may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)',
            ],
            [
              'spec.externalIPs[4]',
              'Invalid value: "169.254.1.1": may not be in the link-local range (169.254.0.0/16, fe80::/10)',
            ],
            ['spec.externalIPs[5]', 'Invalid value: "010.1.1.1": must not have leading 0s'],
          ],
          warnings: [
            'spec.externalIPs[5]: non-standard IP address "010.1.1.1" is invalid: use "10.1.1.1"',
            'spec.externalIPs is deprecated and may no longer be implemented in some clusters',
          ],
        },
        {
          name: 'an unknown traffic policy',
          given: { spec: { type: 'NodePort', externalTrafficPolicy: 'X' } },
          expect: [['spec.externalTrafficPolicy', 'Unsupported value: "X": supported values: "Cluster", "Local"']],
        },
        {
          name: 'an external traffic policy that does not apply to the type',
          given: { spec: { externalTrafficPolicy: 'Local' } },
          expect: [
            [
              'spec.externalTrafficPolicy',
              'Invalid value: "Local": may only be set for externally-accessible services',
            ],
          ],
        },
        {
          name: 'an unknown internal traffic policy',
          given: { spec: { internalTrafficPolicy: 'X' } },
          expect: [['spec.internalTrafficPolicy', 'Unsupported value: "X": supported values: "Cluster", "Local"']],
        },
        {
          name: 'a health check port that does not apply to the type',
          given: { spec: { type: 'LoadBalancer', externalTrafficPolicy: 'Cluster', healthCheckNodePort: 30000 } },
          expect: [
            [
              'spec.healthCheckNodePort',
              "Invalid value: 30000: may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'",
            ],
          ],
        },
        {
          name: 'a health port below zero',
          given: { spec: { type: 'LoadBalancer', externalTrafficPolicy: 'Local', healthCheckNodePort: -1 } },
          expect: [['spec.healthCheckNodePort', 'Invalid value: -1: must be between 1 and 65535, inclusive']],
        },
        {
          name: 'source ranges',
          given: { spec: { type: 'LoadBalancer', loadBalancerSourceRanges: ['x', '10.0.0.1/8', ' 10.0.0.0/8 '] } },
          expect: [
            [
              'spec.LoadBalancerSourceRanges[0]',
              'Invalid value: "x": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)',
            ],
            [
              'spec.LoadBalancerSourceRanges[1]',
              'Invalid value: "10.0.0.1/8": must not have bits set beyond the prefix length',
            ],
          ],
          warnings: [
            'spec.loadBalancerSourceRanges[1]: CIDR value "10.0.0.1/8" is ambiguous in this context (should be "10.0.0.0/8" or "10.0.0.1/32"?)',
          ],
        },
        {
          name: 'source ranges without a load balancer',
          given: { spec: { loadBalancerSourceRanges: ['10.0.0.0/8'] } },
          expect: [['spec.LoadBalancerSourceRanges', "Forbidden: may only be used when `type` is 'LoadBalancer'"]],
        },
        {
          name: 'source ranges of an annotation',
          given: {
            metadata: { annotations: { 'service.beta.kubernetes.io/load-balancer-source-ranges': 'x' } },
            spec: { type: 'LoadBalancer' },
          },
          expect: [
            [
              'metadata.annotations[service.beta.kubernetes.io/load-balancer-source-ranges]',
              'Invalid value: "x": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)',
            ],
          ],
        },
        {
          name: 'a class without a load balancer',
          given: { spec: { loadBalancerClass: 'a/b' } },
          expect: [['spec.loadBalancerClass', "Forbidden: may only be used when `type` is 'LoadBalancer'"]],
        },
        {
          name: 'an invalid class',
          given: { spec: { type: 'LoadBalancer', loadBalancerClass: 'a b' } },
          expect: [['spec.loadBalancerClass', `Invalid value: "a b": ${texts.namePart}`]],
        },
        {
          name: 'a changed class',
          old: { spec: { type: 'LoadBalancer', loadBalancerClass: 'a.b/c' } },
          given: { spec: { loadBalancerClass: 'b.c/d' } },
          expect: [['spec.loadBalancerClass', 'Invalid value: "b.c/d": may not change once set']],
        },
        {
          name: 'allocateLoadBalancerNodePorts without a load balancer',
          given: { spec: { allocateLoadBalancerNodePorts: true } },
          expect: [['spec.allocateLoadBalancerNodePorts', "Forbidden: may only be used when `type` is 'LoadBalancer'"]],
        },
        {
          name: 'an unknown distribution',
          given: { spec: { trafficDistribution: 'X' } },
          expect: [
            [
              'spec.trafficDistribution',
              'Unsupported value: "X": supported values: "PreferClose", "PreferSameZone", "PreferSameNode"',
            ],
          ],
        },
        {
          name: 'a stored unknown distribution',
          given: { spec: { trafficDistribution: 'PreferClose' } },
          expect: [],
          warnings: ['spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"'],
        },
        {
          name: 'a selector',
          given: { spec: { selector: { 'a b': 'c' } } },
          expect: [['spec.selector', `Invalid value: "a b": ${texts.namePart}`]],
        },
        {
          name: 'addresses of a status',
          old: { spec: { type: 'LoadBalancer' } },
          part: 'status',
          given: {
            status: {
              loadBalancer: {
                ingress: [{ ip: 'x', hostname: 'a b', ipMode: 'X' }, { ipMode: 'VIP' }, { hostname: '1.2.3.4' }],
              },
            },
          },
          expect: [
            [
              'status.loadBalancer.ingress[0].ip',
              'Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
            ],
            ['status.loadBalancer.ingress[0].ipMode', 'Unsupported value: "X": supported values: "Proxy", "VIP"'],
            ['status.loadBalancer.ingress[0].hostname', `Invalid value: "a b": ${texts.dns1123Subdomain}`],
            ['status.loadBalancer.ingress[1].ipMode', 'Forbidden: may not be specified when `ip` is not set'],
            [
              'status.loadBalancer.ingress[2].hostname',
              'Invalid value: "1.2.3.4": must be a DNS name, not an IP address',
            ],
          ],
        },
        {
          name: 'addresses of a status without a load balancer',
          part: 'status',
          given: { status: { loadBalancer: { ingress: [{ ip: '1.2.3.4' }] } } },
          expect: [['status.loadBalancer.ingress', "Forbidden: may only be used when `spec.type` is 'LoadBalancer'"]],
        },
      ],
    ),
);
