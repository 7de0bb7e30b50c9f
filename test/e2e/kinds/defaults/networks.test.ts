/** Ingresses and NetworkPolicies: defaults. */
import { backend } from '../manifests.js';
import { testDefaults } from './defaults.js';

testDefaults('ingresses', [
  {
    name: 'an ingress',
    given: { spec: { defaultBackend: backend } },
    expect: { metadata: { generation: 1 }, spec: { defaultBackend: backend }, status: { loadBalancer: {} } },
  },
]);

testDefaults('ingressclasses', [
  {
    name: 'an ingress class',
    given: { spec: { controller: 'a.b/c', parameters: { kind: 'k', name: 'n' } } },
    expect: {
      metadata: { generation: 1 },
      spec: { controller: 'a.b/c', parameters: { kind: 'k', name: 'n', scope: 'Cluster' } },
    },
  },
]);

testDefaults('networkpolicies', [
  {
    name: 'a policy without rules',
    given: { spec: { podSelector: {} } },
    expect: { metadata: { generation: 1 }, spec: { podSelector: {}, policyTypes: ['Ingress'] } },
  },
  {
    name: 'a policy with egress rules',
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
