/** Services and endpoints: defaults. */
import { testDefaults } from './defaults.js';

const ofOneFamily = { ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack', internalTrafficPolicy: 'Cluster' };
const headless = { clusterIP: 'None', clusterIPs: ['None'], type: 'ClusterIP', sessionAffinity: 'None' };
const inCluster = { clusterIP: '10.96.0.0', clusterIPs: ['10.96.0.0'] };

testDefaults('services', [
  {
    name: 'a service with ports',
    given: { spec: { ports: [{ port: 80 }] } },
    expect: {
      spec: {
        ports: [{ protocol: 'TCP', port: 80, targetPort: 80 }],
        ...inCluster,
        type: 'ClusterIP',
        sessionAffinity: 'None',
        ...ofOneFamily,
      },
      status: { loadBalancer: {} },
    },
  },
  {
    name: 'a NodePort service',
    given: { spec: { type: 'NodePort', ports: [{ port: 80, targetPort: 'x' }] } },
    expect: {
      spec: {
        ports: [{ protocol: 'TCP', port: 80, targetPort: 'x', nodePort: 32769 }],
        ...inCluster,
        type: 'NodePort',
        sessionAffinity: 'None',
        externalTrafficPolicy: 'Cluster',
        ...ofOneFamily,
      },
      status: { loadBalancer: {} },
    },
  },
  {
    name: 'a headless service without a selector',
    given: { spec: { clusterIP: 'None' } },
    expect: {
      spec: {
        ...headless,
        ipFamilies: ['IPv4', 'IPv6'],
        ipFamilyPolicy: 'RequireDualStack',
        internalTrafficPolicy: 'Cluster',
      },
      status: { loadBalancer: {} },
    },
  },
  {
    name: 'a headless service',
    given: { spec: { clusterIP: 'None', selector: { a: 'b' } } },
    expect: { spec: { selector: { a: 'b' }, ...headless, ...ofOneFamily }, status: { loadBalancer: {} } },
  },
  {
    name: 'an ExternalName service',
    given: { spec: { type: 'ExternalName', externalName: 'a.b' } },
    expect: {
      spec: { type: 'ExternalName', sessionAffinity: 'None', externalName: 'a.b' },
      status: { loadBalancer: {} },
    },
  },
  {
    name: 'a LoadBalancer service with local traffic',
    given: { spec: { type: 'LoadBalancer', externalTrafficPolicy: 'Local', ports: [{ port: 80 }] } },
    expect: {
      spec: {
        ports: [{ protocol: 'TCP', port: 80, targetPort: 80, nodePort: 32769 }],
        ...inCluster,
        type: 'LoadBalancer',
        sessionAffinity: 'None',
        externalTrafficPolicy: 'Local',
        healthCheckNodePort: 32770,
        allocateLoadBalancerNodePorts: true,
        ...ofOneFamily,
      },
      status: { loadBalancer: {} },
    },
  },
  {
    name: 'a service with session affinity',
    given: { spec: { sessionAffinity: 'ClientIP', ports: [{ port: 80 }] } },
    expect: {
      spec: {
        ports: [{ protocol: 'TCP', port: 80, targetPort: 80 }],
        ...inCluster,
        type: 'ClusterIP',
        sessionAffinity: 'ClientIP',
        sessionAffinityConfig: { clientIP: { timeoutSeconds: 10800 } },
        ...ofOneFamily,
      },
      status: { loadBalancer: {} },
    },
  },
  {
    name: 'a LoadBalancer service with session affinity',
    given: { spec: { type: 'LoadBalancer', ports: [{ port: 80 }], sessionAffinity: 'ClientIP' } },
    expect: {
      spec: {
        ports: [{ protocol: 'TCP', port: 80, targetPort: 80, nodePort: 32769 }],
        ...inCluster,
        type: 'LoadBalancer',
        sessionAffinity: 'ClientIP',
        sessionAffinityConfig: { clientIP: { timeoutSeconds: 10800 } },
        externalTrafficPolicy: 'Cluster',
        allocateLoadBalancerNodePorts: true,
        ...ofOneFamily,
      },
      status: { loadBalancer: {} },
    },
  },
]);

testDefaults('endpoints', [
  {
    name: 'endpoints are not sorted',
    given: {
      subsets: [
        {
          addresses: [{ ip: '1.2.3.5' }, { ip: '1.2.3.4' }],
          ports: [
            { port: 80, name: 'b' },
            { port: 79, name: 'a' },
          ],
        },
      ],
    },
    expect: {
      subsets: [
        {
          addresses: [{ ip: '1.2.3.5' }, { ip: '1.2.3.4' }],
          ports: [
            { name: 'b', port: 80, protocol: 'TCP' },
            { name: 'a', port: 79, protocol: 'TCP' },
          ],
        },
      ],
    },
  },
]);

testDefaults('endpointslices', [
  {
    name: 'an endpoint slice',
    given: { addressType: 'IPv4', endpoints: [{ addresses: ['1.2.3.4'] }], ports: [{ port: 80 }] },
    expect: {
      metadata: { generation: 1 },
      addressType: 'IPv4',
      endpoints: [{ addresses: ['1.2.3.4'], conditions: {} }],
      ports: [{ name: '', protocol: 'TCP', port: 80 }],
    },
  },
]);
