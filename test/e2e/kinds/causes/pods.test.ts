/** New Pods: validation errors and warnings. */
import { texts } from '../../../kinds/kubernetes/fault-table.js';
import { containers } from '../manifests.js';
import { causes } from './causes.js';

const podSpec = { automountServiceAccountToken: false, containers };

causes('pods', [
  {
    name: 'an invalid name',
    given: { spec: podSpec, metadata: { name: 'N' } },
    expect: [`metadata.name: Invalid value: "N": ${texts.dns1123Subdomain}`],
  },
  {
    name: 'host names',
    given: { spec: { ...podSpec, hostname: 'A.b', subdomain: '-' } },
    expect: [
      `spec.hostname: Invalid value: "A.b": ${texts.dns1123Label}`,
      `spec.subdomain: Invalid value: "-": ${texts.dns1123Label}`,
    ],
  },
  {
    name: 'invalid names of containers, ports and variables',
    given: {
      spec: {
        ...podSpec,
        containers: [
          {
            name: 'c',
            image: 'i',
            env: [
              { name: 'a b=' },
              { name: '' },
              { name: 'x', value: '1', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
            ],
            volumeMounts: [
              { name: 'v', mountPath: '/a' },
              { name: 'w', mountPath: '' },
            ],
            ports: [
              { containerPort: 0 },
              { containerPort: 80, hostPort: 70000, protocol: 'x', name: 'A' },
              { containerPort: 81, name: 'p' },
              { containerPort: 82, name: 'p' },
            ],
          },
        ],
        volumes: [{ name: 'v', emptyDir: {}, hostPath: { path: '/' } }, { name: 'v', emptyDir: {} }, { name: 'V_' }],
      },
    },
    expect: [
      'spec.volumes[0].hostPath: Forbidden: may not specify more than 1 volume type',
      `spec.volumes[2].name: Invalid value: "V_": ${texts.dns1123Label}`,
      'spec.containers[0].ports[0].containerPort: Required value',
      'spec.containers[0].ports[1].name: Invalid value: "A": must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)',
      'spec.containers[0].ports[1].name: Invalid value: "A": must contain at least one letter (a-z)',
      'spec.containers[0].ports[1].hostPort: Invalid value: 70000: must be between 1 and 65535, inclusive',
      'spec.containers[0].ports[1].protocol: Unsupported value: "x": supported values: "SCTP", "TCP", "UDP"',
      'spec.containers[0].ports[3].name: Duplicate value: "p"',
      'spec.containers[0].env[0].name: Invalid value: "a b=": a valid environment variable name must consist only of printable ASCII characters other than \'=\'',
      'spec.containers[0].env[1].name: Required value',
      'spec.containers[0].env[2].valueFrom: Invalid value: "": may not be specified when `value` is not empty',
      'spec.containers[0].volumeMounts[1].name: Not found: "w"',
      'spec.containers[0].volumeMounts[1].mountPath: Required value',
    ],
  },
  {
    name: 'sysctls',
    given: {
      spec: {
        ...podSpec,
        securityContext: {
          sysctls: [
            { name: 'kernel.foo', value: '1' },
            { name: 'kernel.foo', value: '1' },
            { name: 'a b', value: '1' },
            { name: '', value: '1' },
          ],
        },
      },
    },
    expect: [
      'spec.securityContext.sysctls[1].name: Duplicate value: "kernel.foo"',
      'spec.securityContext.sysctls[2].name: Invalid value: "a b": must have at most 253 characters and match regex ^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$',
      'spec.securityContext.sysctls[3].name: Required value',
    ],
  },
  {
    name: 'no containers',
    given: { spec: { containers: [] } },
    expect: ['spec.containers: Required value'],
  },
  {
    name: 'duplicate names',
    given: {
      spec: {
        ...podSpec,
        containers: [
          { name: 'c', image: 'i' },
          { name: 'c', image: '' },
        ],
        initContainers: [{ name: 'c', image: ' x' }],
      },
    },
    expect: [
      'spec.containers[1].image: Required value',
      'spec.containers[1].name: Duplicate value: "c"',
      'spec.initContainers[0].name: Duplicate value: "c"',
      'spec.initContainers[0].image: Invalid value: " x": must not have leading or trailing whitespace',
    ],
  },
  {
    name: 'duplicate ports and variables',
    given: {
      spec: {
        ...podSpec,
        containers: [
          {
            name: 'c',
            image: 'i',
            ports: [{ containerPort: 80 }, { containerPort: 80 }],
            env: [
              { name: 'A', value: '1' },
              { name: 'A', value: '2' },
            ],
          },
        ],
      },
    },
    expect: [],
    warnings: [
      'spec.containers[0].env[1]: hides previous definition of "A", which may be dropped when using apply',
      'spec.containers[0].ports[1]: duplicate port definition with spec.containers[0].ports[0]',
    ],
  },
  {
    name: 'deprecated node labels are reported once',
    given: {
      spec: {
        ...podSpec,
        nodeSelector: { 'beta.kubernetes.io/os': 'linux', 'failure-domain.beta.kubernetes.io/zone': 'a' },
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [{ matchExpressions: [{ key: 'beta.kubernetes.io/arch', operator: 'Exists' }] }],
            },
          },
        },
      },
    },
    expect: [],
    warnings: [
      'spec.nodeSelector[beta.kubernetes.io/os]: deprecated since v1.14; use "kubernetes.io/os" instead',
      'spec.nodeSelector[failure-domain.beta.kubernetes.io/zone]: deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
      'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0].key: beta.kubernetes.io/arch is deprecated since v1.14; use "kubernetes.io/arch" instead',
    ],
  },
  {
    name: 'deprecated annotations of profiles',
    given: {
      metadata: {
        name: 'a.b',
        annotations: {
          'seccomp.security.alpha.kubernetes.io/pod': 'runtime/default',
          'container.apparmor.security.beta.kubernetes.io/c': 'runtime/default',
        },
      },
      spec: podSpec,
    },
    expect: [],
    warnings: [
      'metadata.annotations[container.apparmor.security.beta.kubernetes.io/c]: deprecated since v1.30; use the "appArmorProfile" field instead',
      "metadata.name: this is used in the Pod's hostname, which can result in surprising behavior; a DNS label is recommended: [must not contain dots]",
      'metadata.annotations[seccomp.security.alpha.kubernetes.io/pod]: non-functional in v1.27+; use the "seccompProfile" field instead',
    ],
  },
  {
    name: 'removed volume types',
    given: {
      spec: {
        ...podSpec,
        volumes: [
          { name: 'g', gitRepo: { repository: 'r' } },
          { name: 'h', glusterfs: { endpoints: 'e', path: 'p' } },
        ],
      },
    },
    expect: [],
    warnings: [
      'spec.volumes[0].gitRepo: deprecated in v1.11, and disabled by default in v1.33+',
      'spec.volumes[1].glusterfs: deprecated in v1.25, non-functional in v1.26+',
    ],
  },
  {
    name: 'addresses with leading zeros',
    given: {
      spec: {
        ...podSpec,
        hostAliases: [{ ip: '010.0.0.1', hostnames: ['a'] }],
        dnsConfig: { nameservers: ['1.2.3.4', '001.2.3.4'] },
      },
    },
    expect: [
      'spec.dnsConfig.nameservers[1]: Invalid value: "001.2.3.4": must not have leading 0s',
      'spec.hostAliases[0].ip: Invalid value: "010.0.0.1": must not have leading 0s',
    ],
    warnings: [],
  },
  {
    name: 'Pod: a name with a dot',
    given: { metadata: { name: 'a.b' }, spec: { containers } },
    expect: [],
    warnings: [
      "metadata.name: this is used in the Pod's hostname, which can result in surprising behavior; a DNS label is recommended: [must not contain dots]",
    ],
  },
]);
