/** Services, endpoints and ingresses: rows of Tables. */
import { backend } from '../manifests.js';
import { age, rows } from './rows.js';

const rule = (host: string) => ({ host, http: { paths: [{ path: '/', pathType: 'Prefix', backend }] } });
const balanced = { loadBalancer: { ingress: [{ ip: '1.1.1.1' }, { hostname: 'h.x' }] } };

rows('services', [
  {
    name: 'inside',
    given: {
      spec: {
        ports: [
          { port: 80, name: 'a' },
          { port: 443, name: 'b', protocol: 'UDP' },
        ],
        selector: { k: 'v', a: 'b' },
      },
    },
    expect: ['ClusterIP', /^10\./, '<none>', '80/TCP,443/UDP', age, 'a=b,k=v'],
  },
  {
    name: 'headless',
    given: { spec: { clusterIP: 'None' } },
    expect: ['ClusterIP', 'None', '<none>', '<none>', age, '<none>'],
  },
  {
    name: 'external addresses',
    given: { spec: { ports: [{ port: 80 }], externalIPs: ['1.2.3.4', '5.6.7.8'] } },
    expect: ['ClusterIP', /^10\./, '1.2.3.4,5.6.7.8', '80/TCP', age, '<none>'],
  },
  {
    name: 'an external name',
    given: { spec: { type: 'ExternalName', externalName: 'a.b' } },
    expect: ['ExternalName', '<none>', 'a.b', '<none>', age, '<none>'],
  },
  {
    name: 'balanced',
    given: { spec: { type: 'LoadBalancer', ports: [{ port: 80, nodePort: 30081 }], externalIPs: ['9.9.9.9'] } },
    status: balanced,
    expect: ['LoadBalancer', /^10\./, '1.1.1.1,h.x,9.9.9.9', '80:30081/TCP', age, '<none>'],
  },
  {
    name: 'a pending load balancer',
    given: { spec: { type: 'LoadBalancer', ports: [{ port: 80, nodePort: 30080 }] } },
    expect: ['LoadBalancer', /^10\./, '<pending>', '80:30080/TCP', age, '<none>'],
  },
]);

rows('endpoints', [
  {
    name: 'endpoints',
    given: {
      subsets: [
        {
          addresses: [{ ip: '1.1.1.1' }, { ip: '1.1.1.2' }, { ip: '1.1.1.3' }, { ip: '1.1.1.4' }, { ip: '1.1.1.5' }],
          ports: [{ port: 80 }],
        },
      ],
    },
    expect: ['1.1.1.1:80,1.1.1.2:80,1.1.1.3:80 + 2 more...', age],
  },
  {
    name: 'no endpoints',
    given: {},
    expect: ['<none>', age],
  },
]);

rows('endpointslices', [
  {
    name: 'slice',
    given: {
      addressType: 'IPv4',
      endpoints: [
        { addresses: ['1.1.1.1'] },
        { addresses: ['1.1.1.2'] },
        { addresses: ['1.1.1.3'] },
        { addresses: ['1.1.1.4'] },
      ],
      ports: [{ port: 80 }, { port: 81, name: 'b' }, { name: 'c' }, { port: 83, name: 'd' }],
    },
    expect: ['IPv4', '80,81,c + 1 more...', '1.1.1.1,1.1.1.2,1.1.1.3 + 1 more...', age],
  },
  {
    name: 'empty slice',
    given: { addressType: 'IPv4', endpoints: [] },
    expect: ['IPv4', '<unset>', '<unset>', age],
  },
]);

rows('ingresses', [
  {
    name: 'any host',
    given: { spec: { defaultBackend: backend } },
    expect: ['<none>', '*', '', '80', age],
  },
  {
    name: 'hosts',
    given: {
      spec: {
        ingressClassName: 'k',
        tls: [{ hosts: ['a.x'] }],
        rules: [rule('a.x'), rule('b.x'), rule('c.x'), rule('d.x')],
      },
    },
    status: balanced,
    expect: ['k', 'a.x,b.x,c.x + 1 more...', '1.1.1.1,h.x', '80, 443', age],
  },
]);
