/** Pods and pod templates: defaults. */
import { containers } from '../manifests.js';
import { containerDefaults, defaultedTemplate, testDefaults, podDefaults, probeDefaults } from './defaults.js';

const image = 'i@sha256:0000000000000000000000000000000000000000000000000000000000000000';
/** Fields that admission adds to a Pod. */
const scheduled = {
  serviceAccountName: 'default',
  serviceAccount: 'default',
  tolerations: ['not-ready', 'unreachable'].map(taint => ({
    ...{ key: `node.kubernetes.io/${taint}`, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 },
  })),
  priority: 0,
  enableServiceLinks: true,
  preemptionPolicy: 'PreemptLowerPriority',
};
const templated = (spec: object) => ({ template: { metadata: { labels: { a: 'b' } }, spec } });
const filled = (spec: object) => ({ metadata: { generation: 1 }, ...templated({ ...podDefaults, ...spec }) });

testDefaults('pods', [
  {
    name: 'a pod on the host network, with limits',
    given: {
      spec: {
        hostNetwork: true,
        automountServiceAccountToken: false,
        containers: [
          {
            name: 'c',
            image: 'i:1',
            ports: [{ containerPort: 80 }],
            resources: { limits: { cpu: '1', memory: '1Gi' } },
          },
        ],
      },
    },
    expect: {
      metadata: { generation: 1 },
      spec: {
        ...podDefaults,
        ...scheduled,
        containers: [
          {
            ...containerDefaults,
            name: 'c',
            image: 'i:1',
            ports: [{ hostPort: 80, containerPort: 80, protocol: 'TCP' }],
            resources: { limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '1', memory: '1Gi' } },
            imagePullPolicy: 'IfNotPresent',
          },
        ],
        automountServiceAccountToken: false,
        hostNetwork: true,
      },
      status: { phase: 'Pending', qosClass: 'Guaranteed' },
    },
  },
  {
    name: 'a pod with a probe and volumes',
    given: {
      spec: {
        automountServiceAccountToken: false,
        containers: [{ name: 'c', image: 'a:1', livenessProbe: { httpGet: { port: 80 } } }],
        volumes: [{ name: 'v' }, { name: 's', secret: { secretName: 'x' } }],
      },
    },
    expect: {
      metadata: { generation: 1 },
      spec: {
        ...podDefaults,
        ...scheduled,
        automountServiceAccountToken: false,
        containers: [
          {
            ...containerDefaults,
            name: 'c',
            image: 'a:1',
            imagePullPolicy: 'IfNotPresent',
            livenessProbe: { ...probeDefaults, httpGet: { path: '/', port: 80, scheme: 'HTTP' } },
          },
        ],
        volumes: [
          { name: 'v', emptyDir: {} },
          { name: 's', secret: { secretName: 'x', defaultMode: 420 } },
        ],
      },
      status: { phase: 'Pending', qosClass: 'BestEffort' },
    },
  },
]);

testDefaults('podtemplates', [
  {
    name: 'imagePullPolicy by tag or digest, protocol of a port, both fields of the service account',
    given: templated({
      serviceAccountName: 's',
      containers: [
        { name: 'a', image: 'i' },
        { name: 'b', image: 'i:latest' },
        { name: 'c', image: 'i:1' },
        { name: 'd', image: 'r:5000/i' },
        { name: 'e', image },
        { name: 'f', image: 'i', ports: [{ containerPort: 1 }] },
      ],
    }),
    expect: filled({
      containers: [
        { ...containerDefaults, name: 'a', image: 'i' },
        { ...containerDefaults, name: 'b', image: 'i:latest' },
        { ...containerDefaults, name: 'c', image: 'i:1', imagePullPolicy: 'IfNotPresent' },
        { ...containerDefaults, name: 'd', image: 'r:5000/i' },
        {
          ...containerDefaults,
          name: 'e',
          image,
          imagePullPolicy: 'IfNotPresent',
        },
        { ...containerDefaults, name: 'f', image: 'i', ports: [{ containerPort: 1, protocol: 'TCP' }] },
      ],
      serviceAccountName: 's',
      serviceAccount: 's',
    }),
  },
  {
    name: 'the service account by its deprecated field',
    given: templated({ serviceAccount: 's', containers }),
    expect: filled({ containers: defaultedTemplate.spec.containers, serviceAccountName: 's', serviceAccount: 's' }),
  },
  {
    name: 'probes, the scheme and path of HTTP checks, apiVersion of fieldRef',
    given: templated({
      containers: [
        {
          name: 'a',
          image: 'i',
          livenessProbe: { grpc: { port: 1 } },
          readinessProbe: { tcpSocket: { port: 1 } },
          startupProbe: { httpGet: { port: 1 } },
          lifecycle: { preStop: { httpGet: { port: 1 } } },
          env: [{ name: 'a', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }],
        },
      ],
    }),
    expect: filled({
      containers: [
        {
          ...containerDefaults,
          name: 'a',
          image: 'i',
          env: [{ name: 'a', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.name' } } }],
          livenessProbe: { ...probeDefaults, grpc: { port: 1, service: '' } },
          readinessProbe: { ...probeDefaults, tcpSocket: { port: 1 } },
          startupProbe: { ...probeDefaults, httpGet: { path: '/', port: 1, scheme: 'HTTP' } },
          lifecycle: { preStop: { httpGet: { path: '/', port: 1, scheme: 'HTTP' } } },
        },
      ],
    }),
  },
  {
    name: 'volumes',
    given: templated({
      containers,
      volumes: [
        { name: 'a' },
        { name: 'b', secret: { secretName: 's' } },
        { name: 'c', configMap: { name: 's' } },
        { name: 'd', projected: { sources: [{ serviceAccountToken: { path: 'p' } }] } },
        { name: 'e', downwardAPI: { items: [{ path: 'p', fieldRef: { fieldPath: 'metadata.name' } }] } },
        { name: 'f', hostPath: { path: '/' } },
        { name: 'g', iscsi: { targetPortal: '1.1.1.1', iqn: 'iqn.2015-02.example.com:test', lun: 0 } },
        { name: 'h', rbd: { monitors: ['m'], image: 'i' } },
        { name: 'i', scaleIO: { gateway: 'g', system: 's', secretRef: { name: 'x' }, volumeName: 'v' } },
        { name: 'j', azureDisk: { diskName: 'd', diskURI: 'https://a/b' } },
      ],
    }),
    expect: filled({
      volumes: [
        { name: 'a', emptyDir: {} },
        { name: 'b', secret: { secretName: 's', defaultMode: 420 } },
        { name: 'c', configMap: { name: 's', defaultMode: 420 } },
        {
          name: 'd',
          projected: { sources: [{ serviceAccountToken: { expirationSeconds: 3600, path: 'p' } }], defaultMode: 420 },
        },
        {
          name: 'e',
          downwardAPI: {
            items: [{ path: 'p', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.name' } }],
            defaultMode: 420,
          },
        },
        { name: 'f', hostPath: { path: '/', type: '' } },
        {
          name: 'g',
          iscsi: { targetPortal: '1.1.1.1', iqn: 'iqn.2015-02.example.com:test', lun: 0, iscsiInterface: 'default' },
        },
        {
          name: 'h',
          rbd: { monitors: ['m'], image: 'i', pool: 'rbd', user: 'admin', keyring: '/etc/ceph/keyring' },
        },
        {
          name: 'i',
          scaleIO: {
            gateway: 'g',
            system: 's',
            secretRef: { name: 'x' },
            storageMode: 'ThinProvisioned',
            volumeName: 'v',
            fsType: 'xfs',
          },
        },
        {
          name: 'j',
          azureDisk: {
            diskName: 'd',
            diskURI: 'https://a/b',
            cachingMode: 'ReadWrite',
            fsType: 'ext4',
            readOnly: false,
            kind: 'Shared',
          },
        },
      ],
      containers: defaultedTemplate.spec.containers,
    }),
  },
]);
