import t from 'tap';
import { faultTable, texts } from '../fault-table.js';

t.test(
  'ingresses are validated',
  async t =>
    await faultTable(
      t,
      ['networking.k8s.io', 'Ingress'],
      {
        apiVersion: 'networking.k8s.io/v1',
        kind: 'Ingress',
        metadata: { name: 'n', namespace: 'space' },
        spec: { defaultBackend: { service: { name: 's', port: { number: 80 } } } },
      },
      [
        {
          name: 'nothing',
          given: { spec: { defaultBackend: null } },
          expect: [['spec', 'Invalid value: null: either `defaultBackend` or `rules` must be specified']],
        },
        {
          name: 'a port by name and number',
          given: { spec: { defaultBackend: { service: { name: 'A', port: { name: 'x', number: 5 } } } } },
          expect: [
            ['spec.defaultBackend.service.name', `Invalid value: "A": ${texts.dns1123Label}`],
            ['spec.defaultBackend', 'Invalid value: "": cannot set both port name & port number'],
          ],
        },
        {
          name: 'a service without name and port',
          given: { spec: { defaultBackend: { service: { name: '', port: { number: null } } } } },
          expect: [
            ['spec.defaultBackend.service.name', 'Required value'],
            ['spec.defaultBackend', 'Required value: port name or number is required'],
          ],
        },
        {
          name: 'an invalid port',
          given: { spec: { defaultBackend: { service: { port: { number: 70000 } } } } },
          expect: [
            ['spec.defaultBackend.service.port.number', 'Invalid value: 70000: must be between 1 and 65535, inclusive'],
          ],
        },
        {
          name: 'a service and a resource',
          given: { spec: { defaultBackend: { resource: { kind: 'K', name: 'n' } } } },
          expect: [['spec.defaultBackend', 'Invalid value: "": cannot set both resource and service backends']],
        },
        {
          name: 'a resource',
          given: { spec: { defaultBackend: { service: null, resource: { apiGroup: 'A_', kind: '', name: 'a/b' } } } },
          expect: [
            ['spec.defaultBackend.resource.apiGroup', `Invalid value: "A_": ${texts.dns1123Subdomain}`],
            ['spec.defaultBackend.resource.kind', 'Required value'],
            ['spec.defaultBackend.resource.name', `Invalid value: "a/b": may not contain '/'`],
          ],
        },
        {
          name: 'a backend without service and resource',
          given: { spec: { defaultBackend: { service: null } } },
          expect: [['spec.defaultBackend', 'Invalid value: "": resource or service backend is required']],
        },
        {
          name: 'hosts',
          given: { spec: { rules: [{ host: '1.2.3.4' }, { host: '*.x.*' }, { host: 'A' }] } },
          expect: [
            ['spec.rules[0].host', 'Invalid value: "1.2.3.4": must be a DNS name, not an IP address'],
            ['spec.rules[1].host', `Invalid value: "*.x.*": ${texts.wildcardSubdomain}`],
            ['spec.rules[2].host', `Invalid value: "A": ${texts.dns1123Subdomain}`],
          ],
        },
        {
          name: 'paths',
          given: {
            spec: {
              rules: [
                { http: { paths: [] } },
                {
                  http: {
                    paths: [
                      { path: 'x', backend: { service: { name: 's', port: { number: 1 } } } },
                      { pathType: 'Exact', path: '', backend: { service: { name: 's', port: { number: 1 } } } },
                      {
                        pathType: 'Prefix',
                        path: '/a//b/./c/../d%2f/..',
                        backend: { service: { name: 's', port: { number: 1 } } },
                      },
                      { pathType: 'X', backend: {} },
                      {
                        pathType: 'ImplementationSpecific',
                        path: 'x',
                        backend: { service: { name: 's', port: { number: 1 } } },
                      },
                    ],
                  },
                },
              ],
            },
          },
          expect: [
            ['spec.rules[0].http.paths', 'Required value'],
            ['spec.rules[1].http.paths[0].pathType', 'Required value: pathType must be specified'],
            ['spec.rules[1].http.paths[1].path', 'Invalid value: "": must be an absolute path'],
            ['spec.rules[1].http.paths[2].path', `Invalid value: "/a//b/./c/../d%2f/..": must not contain '//'`],
            ['spec.rules[1].http.paths[2].path', `Invalid value: "/a//b/./c/../d%2f/..": must not contain '/./'`],
            ['spec.rules[1].http.paths[2].path', `Invalid value: "/a//b/./c/../d%2f/..": must not contain '/../'`],
            ['spec.rules[1].http.paths[2].path', `Invalid value: "/a//b/./c/../d%2f/..": must not contain '%2f'`],
            ['spec.rules[1].http.paths[2].path', `Invalid value: "/a//b/./c/../d%2f/..": cannot end with '/..'`],
            [
              'spec.rules[1].http.paths[3].pathType',
              'Unsupported value: "X": supported values: "Exact", "ImplementationSpecific", "Prefix"',
            ],
            ['spec.rules[1].http.paths[3].backend', 'Invalid value: "": resource or service backend is required'],
            ['spec.rules[1].http.paths[4].path', 'Invalid value: "x": must be an absolute path'],
          ],
        },
        {
          name: 'TLS',
          given: { spec: { tls: [{ hosts: ['*.a', 'A', '*'], secretName: 'A' }] } },
          expect: [
            ['spec.tls[0].hosts[1]', `Invalid value: "A": ${texts.dns1123Subdomain}`],
            ['spec.tls[0].hosts[2]', `Invalid value: "*": ${texts.wildcardSubdomain}`],
            ['spec.tls[0].secretName', `Invalid value: "A": ${texts.dns1123Subdomain}`],
          ],
        },
        {
          name: 'a stored invalid name is tolerated',
          old: { spec: { tls: [{ secretName: 'B' }] } },
          given: { spec: { tls: [{ secretName: 'A' }] } },
          expect: [],
        },
        {
          name: 'two classes',
          given: { spec: { ingressClassName: 'a' }, metadata: { annotations: { 'kubernetes.io/ingress.class': 'b' } } },
          expect: [
            [
              'annotations.kubernetes.io/ingress.class',
              'Invalid value: "b": must match `ingressClassName` when both are specified',
            ],
          ],
        },
        {
          name: 'the deprecated class annotation',
          given: { metadata: { annotations: { 'kubernetes.io/ingress.class': 'b' } } },
          expect: [],
          warnings: [
            'annotation "kubernetes.io/ingress.class" is deprecated, please use \'spec.ingressClassName\' instead',
          ],
        },
        {
          name: 'addresses of a status',
          part: 'status',
          given: {
            status: { loadBalancer: { ingress: [{ ip: 'x', hostname: '1.2.3.4' }, { ip: '::ffff:1.2.3.4' }] } },
          },
          expect: [
            [
              'status.loadBalancer.ingress[0].ip',
              'Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
            ],
            [
              'status.loadBalancer.ingress[0].hostname',
              'Invalid value: "1.2.3.4": must be a DNS name, not an IP address',
            ],
            [
              'status.loadBalancer.ingress[1].ip',
              'Invalid value: "::ffff:1.2.3.4": must not be an IPv4-mapped IPv6 address',
            ],
          ],
          warnings: [
            'status.loadBalancer.ingress[1]: non-standard IP address "::ffff:1.2.3.4" is invalid: use "1.2.3.4"',
          ],
        },
      ],
    ),
);

t.test(
  'ingress classes are validated',
  async t =>
    await faultTable(
      t,
      ['networking.k8s.io', 'IngressClass'],
      {
        apiVersion: 'networking.k8s.io/v1',
        kind: 'IngressClass',
        metadata: { name: 'n' },
        spec: { controller: 'a.b/c' },
      },
      [
        {
          name: 'a controller',
          given: { spec: { controller: 'x' } },
          expect: [['spec.controller', 'Invalid value: "x": must be a domain-prefixed path (such as "acme.io/foo")']],
        },
        {
          name: 'a long controller',
          given: {
            spec: {
              controller:
                'a.b/ccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc',
            },
          },
          expect: [['spec.controller', 'Too long: may not be more than 250 bytes']],
        },
        {
          name: 'parameters',
          given: { spec: { parameters: { kind: '', name: '', scope: 'X' } } },
          expect: [
            ['spec.parameters.kind', 'Required value'],
            ['spec.parameters.name', 'Required value'],
            ['spec.parameters.scope', 'Unsupported value: "X": supported values: "Cluster", "Namespace"'],
          ],
        },
        {
          name: 'a namespace with cluster scope',
          given: { spec: { parameters: { kind: 'K', name: 'n', namespace: 'x' } } },
          expect: [['spec.parameters.namespace', "Forbidden: `parameters.scope` is set to 'Cluster'"]],
        },
        {
          name: 'no namespace',
          given: { spec: { parameters: { kind: 'K', name: 'n', scope: 'Namespace' } } },
          expect: [['spec.parameters.namespace', "Required value: `parameters.scope` is set to 'Namespace'"]],
        },
        {
          name: 'a changed controller',
          old: {},
          given: { spec: { controller: 'a.b/d' } },
          expect: [['spec.controller', 'Invalid value: "a.b/d": field is immutable']],
        },
      ],
    ),
);
