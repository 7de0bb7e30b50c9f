/** Shapes of Services, Endpoints, Roles, NetworkPolicies and Ingresses. */
import { core, inGroup, metadata, type Shape, times } from './shape.js';

const labels = { app: 'a' };

export const ruleShapes: readonly Shape[] = [
  {
    name: 'service/ports',
    collection: core('services'),
    native: true,
    small: { spec: { sessionAffinity: 'ClientIP' } },
    make: n => ({
      ...{ apiVersion: 'v1', kind: 'Service', metadata },
      spec: { selector: labels, ports: times(n, i => ({ name: `p${i}`, port: 1 + (i % 65535) })) },
    }),
  },
  {
    name: 'endpoints/addresses',
    collection: core('endpoints'),
    native: true,
    make: n => ({
      ...{ apiVersion: 'v1', kind: 'Endpoints', metadata },
      subsets: [
        {
          addresses: times(n, i => ({ ip: `10.${(i >> 16) & 255}.${(i >> 8) & 255}.${i & 255}` })),
          ports: [{ port: 80 }],
        },
      ],
    }),
  },
  {
    name: 'role/rules',
    collection: inGroup('rbac.authorization.k8s.io/v1', 'roles'),
    native: true,
    make: n => ({
      ...{ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', metadata },
      rules: times(n, i => ({ apiGroups: [''], resources: [`r${i}`], verbs: ['get'] })),
    }),
  },
  {
    name: 'role/one rule',
    collection: inGroup('rbac.authorization.k8s.io/v1', 'roles'),
    native: true,
    make: n => ({
      ...{ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', metadata },
      rules: [
        { apiGroups: [''], resources: times(n, i => `r${i}`), verbs: ['get'], resourceNames: times(n, i => `r${i}`) },
      ],
    }),
  },
  {
    name: 'network policy/peers',
    collection: inGroup('networking.k8s.io/v1', 'networkpolicies'),
    native: true,
    make: n => ({
      ...{ apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy', metadata },
      spec: {
        podSelector: { matchExpressions: times(n, i => ({ key: `k${i}`, operator: 'In', values: ['v'] })) },
        ingress: [{ from: times(n, () => ({ ipBlock: { cidr: '10.0.0.0/8' } })) }],
      },
    }),
  },
  {
    name: 'ingress/rules',
    collection: inGroup('networking.k8s.io/v1', 'ingresses'),
    native: true,
    make: n => ({
      ...{ apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', metadata },
      spec: {
        rules: times(n, i => ({
          host: `h${i}.example.com`,
          http: {
            paths: [{ path: '/', pathType: 'Prefix', backend: { service: { name: 's', port: { number: 80 } } } }],
          },
        })),
      },
    }),
  },
];
