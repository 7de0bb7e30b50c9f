/** Ingresses and policies of networks: all that is filled in. */
import { backend } from '../manifests.js';
import { fills } from './fills.js';

fills('ingresses', [
  {
    name: 'an ingress',
    given: { spec: { defaultBackend: backend } },
    expect: { metadata: { generation: 1 }, spec: { defaultBackend: backend }, status: { loadBalancer: {} } },
  },
]);

fills('ingressclasses', [
  {
    name: 'a class of ingresses',
    given: { spec: { controller: 'a.b/c', parameters: { kind: 'k', name: 'n' } } },
    expect: {
      metadata: { generation: 1 },
      spec: { controller: 'a.b/c', parameters: { kind: 'k', name: 'n', scope: 'Cluster' } },
    },
  },
]);

fills('networkpolicies', [
  {
    name: 'a policy of nothing',
    given: { spec: { podSelector: {} } },
    expect: { metadata: { generation: 1 }, spec: { podSelector: {}, policyTypes: ['Ingress'] } },
  },
  {
    name: 'a policy of what goes out',
    given: { spec: { podSelector: {}, egress: [{ ports: [{ port: 1 }] }] } },
    expect: {
      metadata: { generation: 1 },
      spec: {
        podSelector: {},
        policyTypes: ['Ingress', 'Egress'],
        egress: [{ ports: [{ protocol: 'TCP', port: 1 }] }],
      },
    },
  },
]);
