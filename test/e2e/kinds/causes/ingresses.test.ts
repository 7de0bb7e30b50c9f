/** Ingresses and their classes: validation errors and warnings. */
import { texts } from '../../../kinds/kubernetes/fault-table.js';
import { backend } from '../manifests.js';
import { causes } from './causes.js';

const path = { path: '/', pathType: 'Prefix', backend };
/** Returns an ingress with one rule and one path, which are valid except for the given fields. */
const ruled = (said: object, host: object = {}) => ({
  spec: { rules: [{ ...host, http: { paths: [{ ...path, ...said }] } }] },
});

causes('ingresses', [
  {
    name: 'nothing',
    given: { spec: {} },
    expect: ['spec: Invalid value: null: either `defaultBackend` or `rules` must be specified'],
  },
  {
    name: 'no paths',
    given: { spec: { rules: [{ http: { paths: [] } }] } },
    expect: ['spec.rules[0].http.paths: Required value'],
  },
  {
    name: 'a relative path',
    given: ruled({ path: 'a', pathType: 'Prefix' }),
    expect: ['spec.rules[0].http.paths[0].path: Invalid value: "a": must be an absolute path'],
  },
  {
    name: 'an exact path',
    given: ruled({ path: '/a//b/./../%2f', pathType: 'Exact' }),
    expect: [
      'spec.rules[0].http.paths[0].path: Invalid value: "/a//b/./../%2f": must not contain \'//\'',
      'spec.rules[0].http.paths[0].path: Invalid value: "/a//b/./../%2f": must not contain \'/./\'',
      'spec.rules[0].http.paths[0].path: Invalid value: "/a//b/./../%2f": must not contain \'/../\'',
      'spec.rules[0].http.paths[0].path: Invalid value: "/a//b/./../%2f": must not contain \'%2f\'',
    ],
  },
  {
    name: 'no path type',
    given: { spec: { rules: [{ http: { paths: [{ path: '/a', backend }] } }] } },
    expect: ['spec.rules[0].http.paths[0].pathType: Required value: pathType must be specified'],
  },
  {
    name: 'an unknown path type',
    given: ruled({ path: '/a', pathType: 'X' }),
    expect: [
      'spec.rules[0].http.paths[0].pathType: Unsupported value: "X": supported values: "Exact", "ImplementationSpecific", "Prefix"',
    ],
  },
  {
    name: 'an ImplementationSpecific path',
    given: ruled({ path: 'a(', pathType: 'ImplementationSpecific' }),
    expect: ['spec.rules[0].http.paths[0].path: Invalid value: "a(": must be an absolute path'],
  },
  {
    name: 'no ImplementationSpecific path',
    given: { spec: { rules: [{ http: { paths: [{ pathType: 'ImplementationSpecific', backend }] } }] } },
    expect: [],
  },
  {
    name: 'two backends',
    given: ruled({ backend: { ...backend, resource: { apiGroup: 'a', kind: 'b', name: 'c' } } }),
    expect: ['spec.rules[0].http.paths[0].backend: Invalid value: "": cannot set both resource and service backends'],
  },
  {
    name: 'no backend',
    given: ruled({ backend: {} }),
    expect: ['spec.rules[0].http.paths[0].backend: Invalid value: "": resource or service backend is required'],
  },
  {
    name: 'invalid names of a service',
    given: ruled({ backend: { service: { name: 'A_', port: { name: 'A_', number: 70000 } } } }),
    expect: [
      `spec.rules[0].http.paths[0].backend.service.name: Invalid value: "A_": ${texts.dns1123Label}`,
      'spec.rules[0].http.paths[0].backend: Invalid value: "": cannot set both port name & port number',
    ],
  },
  {
    name: 'an empty service',
    given: ruled({ backend: { service: { name: '', port: {} } } }),
    expect: [
      'spec.rules[0].http.paths[0].backend.service.name: Required value',
      'spec.rules[0].http.paths[0].backend: Required value: port name or number is required',
    ],
  },
  {
    name: 'a host with two wildcards',
    given: ruled({}, { host: '*.*.a' }),
    expect: [`spec.rules[0].host: Invalid value: "*.*.a": ${texts.wildcardSubdomain}`],
  },
  {
    name: 'a host with a wildcard',
    given: ruled({}, { host: '*.a' }),
    expect: [],
  },
  {
    name: 'an address as a host',
    given: ruled({}, { host: '1.2.3.4' }),
    expect: ['spec.rules[0].host: Invalid value: "1.2.3.4": must be a DNS name, not an IP address'],
  },
  {
    name: 'TLS and class',
    given: {
      spec: { defaultBackend: backend, tls: [{ hosts: ['*', 'a_'], secretName: 'A_' }], ingressClassName: 'A_' },
    },
    expect: [
      `spec.tls[0].hosts[0]: Invalid value: "*": ${texts.wildcardSubdomain}`,
      `spec.tls[0].hosts[1]: Invalid value: "a_": ${texts.dns1123Subdomain}`,
      `spec.tls[0].secretName: Invalid value: "A_": ${texts.dns1123Subdomain}`,
      `spec.ingressClassName: Invalid value: "A_": ${texts.dns1123Subdomain}`,
    ],
  },
  {
    name: 'two different classes',
    given: {
      metadata: { name: 'twice', annotations: { 'kubernetes.io/ingress.class': 'n' } },
      spec: { defaultBackend: backend, ingressClassName: 'm' },
    },
    expect: [
      'annotations.kubernetes.io/ingress.class: Invalid value: "n": must match `ingressClassName` when both are specified',
    ],
  },
  {
    name: 'a class by annotation',
    given: {
      metadata: { name: 'x', annotations: { 'kubernetes.io/ingress.class': 'n' } },
      spec: { defaultBackend: backend },
    },
    expect: [],
    warnings: ['annotation "kubernetes.io/ingress.class" is deprecated, please use \'spec.ingressClassName\' instead'],
  },
]);

causes('ingressclasses', [
  {
    name: 'ingress class: invalid values',
    given: { spec: { controller: 'a', parameters: { apiGroup: 'A_', kind: '', name: 'a/b', scope: 'X' } } },
    expect: [
      'spec.controller: Invalid value: "a": must be a domain-prefixed path (such as "acme.io/foo")',
      `spec.parameters.apiGroup: Invalid value: "A_": ${texts.dns1123Subdomain}`,
      'spec.parameters.kind: Required value',
      'spec.parameters.name: Invalid value: "a/b": may not contain \'/\'',
      'spec.parameters.scope: Unsupported value: "X": supported values: "Cluster", "Namespace"',
    ],
  },
  {
    name: 'ingress class: immutable fields',
    given: { spec: { controller: 'a.b/c' } },
    patch: { spec: { controller: 'a.b/d' } },
    expect: ['spec.controller: Invalid value: "a.b/d": field is immutable'],
  },
  {
    name: 'ingress class: parameters of a namespace',
    given: { spec: { controller: 'a.b/c', parameters: { kind: 'k', name: 'n', scope: 'Namespace' } } },
    expect: ["spec.parameters.namespace: Required value: `parameters.scope` is set to 'Namespace'"],
  },
]);
