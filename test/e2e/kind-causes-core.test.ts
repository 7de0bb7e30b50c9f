/** What pods, services and data are refused and warned for, whole. */
import t from 'tap';
import { texts } from '../registry/kinds/fault-table.js';
import { type CauseCase, causesTable } from './kind-causes.js';
import { core } from './kind-scene.js';

const podSpec = { automountServiceAccountToken: false, containers: [{ name: 'c', image: 'i' }] };
const whole = {
  ...podSpec,
  activeDeadlineSeconds: 10,
  terminationGracePeriodSeconds: -5,
  tolerations: [{ key: 'a', operator: 'Exists' }],
  schedulingGates: [{ name: 'a.b/c' }],
};
const ports = [{ port: 80 }];

const cases: readonly CauseCase[] = [
  {
    name: 'KND-114 nodes of a pod that waits',
    path: `${core}/pods`,
    kind: 'Pod',
    given: { spec: whole },
    patch: { spec: { nodeSelector: { a: 'b' } } },
    expect: [],
  },
  {
    name: 'KND-114 a later end',
    path: `${core}/pods`,
    kind: 'Pod',
    given: { spec: whole },
    patch: { spec: { activeDeadlineSeconds: 11 } },
    expect: ['spec.activeDeadlineSeconds: Invalid value: 11: must be less than or equal to previous value'],
  },
  {
    name: 'KND-114 no end',
    path: `${core}/pods`,
    kind: 'Pod',
    given: { spec: whole },
    patch: { spec: { activeDeadlineSeconds: null } },
    expect: ['spec.activeDeadlineSeconds: Invalid value: null: must not update from a positive integer to nil value'],
  },
  {
    name: 'KND-114 an earlier end',
    path: `${core}/pods`,
    kind: 'Pod',
    given: { spec: whole },
    patch: { spec: { activeDeadlineSeconds: 5 } },
    expect: [],
  },
  {
    name: 'KND-114 an end before the start',
    path: `${core}/pods`,
    kind: 'Pod',
    given: { spec: whole },
    patch: { spec: { activeDeadlineSeconds: -5 } },
    expect: [
      'spec.activeDeadlineSeconds: Invalid value: -5: must be between 1 and 2147483647, inclusive',
      'spec.activeDeadlineSeconds: Invalid value: -5: must be between 0 and 2147483647, inclusive',
    ],
  },
  {
    name: 'KND-114 no tolerations',
    path: `${core}/pods`,
    kind: 'Pod',
    given: { spec: whole },
    patch: { spec: { tolerations: [] } },
    expect: ['spec.tolerations: Forbidden: existing toleration can not be modified except its tolerationSeconds'],
  },
  {
    name: 'KND-114 one more toleration',
    path: `${core}/pods`,
    kind: 'Pod',
    given: { spec: whole },
    patch: {
      spec: {
        tolerations: [
          { key: 'a', operator: 'Exists' },
          { key: 'z', operator: 'Exists' },
        ],
      },
    },
    expect: [],
  },
  {
    name: 'KND-114 grace, once negative',
    path: `${core}/pods`,
    kind: 'Pod',
    given: { spec: whole },
    patch: { spec: { terminationGracePeriodSeconds: 1 } },
    expect: [],
  },
  {
    name: 'KND-114 another grace',
    path: `${core}/pods`,
    kind: 'Pod',
    given: { spec: whole },
    patch: { spec: { terminationGracePeriodSeconds: 2 } },
    expect: [
      'spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)\n@@ -36,7 +36,7 @@\n  ],\n  "EphemeralContainers": null,\n  "RestartPolicy": "Always",\n- "TerminationGracePeriodSeconds": 1,\n+ "TerminationGracePeriodSeconds": 2,\n  "ActiveDeadlineSeconds": 10,\n  "DNSPolicy": "ClusterFirst",\n  "NodeSelector": null,\n',
    ],
  },
  {
    name: 'KND-114 another gate',
    path: `${core}/pods`,
    kind: 'Pod',
    given: { spec: whole },
    patch: { spec: { schedulingGates: [{ name: 'q.w/e' }] } },
    expect: [
      "spec.schedulingGates[0].name: Forbidden: only deletion is allowed, but found new scheduling gate 'q.w/e'",
    ],
  },
  {
    name: 'KND-114 no gates',
    path: `${core}/pods`,
    kind: 'Pod',
    given: { spec: whole },
    patch: { spec: { schedulingGates: [] } },
    expect: [],
  },
  {
    name: 'KND-114 no image',
    path: `${core}/pods`,
    kind: 'Pod',
    given: { spec: whole },
    patch: { spec: { containers: [{ name: 'c', image: '' }] } },
    expect: [
      'spec.containers[0].image: Required value',
      'spec.containers[0].image: Required value',
      'spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)\n@@ -27,7 +27,7 @@\n    "Lifecycle": null,\n    "TerminationMessagePath": "/dev/termination-log",\n    "TerminationMessagePolicy": "File",\n-   "ImagePullPolicy": "Always",\n+   "ImagePullPolicy": "IfNotPresent",\n    "SecurityContext": null,\n    "Stdin": false,\n    "StdinOnce": false,\n',
    ],
  },
  {
    name: 'KND-114 one more container',
    path: `${core}/pods`,
    kind: 'Pod',
    given: { spec: whole },
    patch: {
      spec: {
        containers: [
          { name: 'c', image: 'i' },
          { name: 'd', image: 'i' },
        ],
      },
    },
    expect: ['spec.containers: Forbidden: pod updates may not add or remove containers'],
  },
  {
    name: 'KND-114 another image',
    path: `${core}/pods`,
    kind: 'Pod',
    given: { spec: whole },
    patch: { spec: { containers: [{ name: 'c', image: 'j' }] } },
    expect: [],
  },
  {
    name: 'KND-114 resources, elsewhere',
    path: `${core}/pods`,
    kind: 'Pod',
    given: { spec: whole },
    patch: { spec: { containers: [{ name: 'c', image: 'i', resources: { requests: { cpu: '1' } } }] } },
    expect: [
      'spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)\n@@ -13,7 +13,9 @@\n    "Env": null,\n    "Resources": {\n     "Limits": null,\n-    "Requests": null,\n+    "Requests": {\n+     "cpu": "1"\n+    },\n     "Claims": null\n    },\n    "ResizePolicy": null,\n',
    ],
  },
  {
    name: 'KND-114 the host',
    path: `${core}/pods`,
    kind: 'Pod',
    given: { spec: whole },
    patch: { spec: { hostNetwork: true } },
    expect: [
      'spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)\n@@ -44,7 +44,7 @@\n  "AutomountServiceAccountToken": false,\n  "NodeName": "",\n  "SecurityContext": {\n-  "HostNetwork": false,\n+  "HostNetwork": true,\n   "HostPID": false,\n   "HostIPC": false,\n   "ShareProcessNamespace": null,\n',
    ],
  },
  {
    name: 'KND-114 two differences',
    path: `${core}/pods`,
    kind: 'Pod',
    given: { spec: { ...podSpec } },
    patch: { spec: { hostname: 'x', priority: 3 } },
    expect: [
      'spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)\n@@ -64,7 +64,7 @@\n   "SELinuxChangePolicy": null\n  },\n  "ImagePullSecrets": null,\n- "Hostname": "",\n+ "Hostname": "x",\n  "Subdomain": "",\n  "SetHostnameAsFQDN": null,\n  "Affinity": null,\n@@ -87,7 +87,7 @@\n  ],\n  "HostAliases": null,\n  "PriorityClassName": "",\n- "Priority": 0,\n+ "Priority": 3,\n  "PreemptionPolicy": "PreemptLowerPriority",\n  "DNSConfig": null,\n  "ReadinessGates": null,\n',
    ],
  },
  {
    name: 'KND-114 an affinity to nothing',
    path: `${core}/pods`,
    kind: 'Pod',
    given: { spec: { ...podSpec } },
    patch: { spec: { affinity: {} } },
    expect: [
      'spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)\n@@ -67,7 +67,11 @@\n  "Hostname": "",\n  "Subdomain": "",\n  "SetHostnameAsFQDN": null,\n- "Affinity": null,\n+ "Affinity": {\n+  "NodeAffinity": null,\n+  "PodAffinity": null,\n+  "PodAntiAffinity": null\n+ },\n  "SchedulerName": "default-scheduler",\n  "Tolerations": [\n   {\n',
    ],
  },
  {
    name: 'KND-114 a pod that waits, to no node in particular',
    path: `${core}/pods`,
    kind: 'Pod',
    given: { spec: whole },
    patch: { spec: { affinity: { nodeAffinity: {} } } },
    expect: [],
  },
  {
    name: 'KND-114 ephemeral containers, elsewhere',
    path: `${core}/pods`,
    kind: 'Pod',
    given: { spec: { ...podSpec } },
    patch: { spec: { ephemeralContainers: [{ name: 'e', image: 'i' }] } },
    expect: ['spec: Forbidden: pod updates may not change fields other tha…'],
  },
  {
    name: 'KND-114 a long name',
    path: `${core}/pods`,
    kind: 'Pod',
    given: { spec: { ...podSpec }, metadata: { name: 'N' } },
    expect: [`metadata.name: Invalid value: "N": ${texts.dns1123Subdomain}`],
  },
  {
    name: 'KND-114 host names',
    path: `${core}/pods`,
    kind: 'Pod',
    given: { spec: { ...podSpec, hostname: 'A.b', subdomain: '-' } },
    expect: [
      `spec.hostname: Invalid value: "A.b": ${texts.dns1123Label}`,
      `spec.subdomain: Invalid value: "-": ${texts.dns1123Label}`,
    ],
  },
  {
    name: 'KND-114 names inside',
    path: `${core}/pods`,
    kind: 'Pod',
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
    name: 'KND-114 sysctls',
    path: `${core}/pods`,
    kind: 'Pod',
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
    name: 'KND-114 nothing to run',
    path: `${core}/pods`,
    kind: 'Pod',
    given: { spec: { containers: [] } },
    expect: ['spec.containers: Required value'],
  },
  {
    name: 'KND-114 the same name twice',
    path: `${core}/pods`,
    kind: 'Pod',
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
    name: 'KND-131 the same port and variable twice',
    path: `${core}/pods`,
    kind: 'Pod',
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
    name: 'KND-131 labels of nodes, once',
    path: `${core}/pods`,
    kind: 'Pod',
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
    name: 'KND-131 annotations of profiles',
    path: `${core}/pods`,
    kind: 'Pod',
    given: {
      metadata: {
        name: 'a.b',
        annotations: {
          'seccomp.security.alpha.kubernetes.io/pod': 'runtime/default',
          'container.apparmor.security.beta.kubernetes.io/c': 'runtime/default',
        },
      },
      spec: { ...podSpec },
    },
    expect: [],
    warnings: [
      'metadata.annotations[container.apparmor.security.beta.kubernetes.io/c]: deprecated since v1.30; use the "appArmorProfile" field instead',
      "metadata.name: this is used in the Pod's hostname, which can result in surprising behavior; a DNS label is recommended: [must not contain dots]",
      'metadata.annotations[seccomp.security.alpha.kubernetes.io/pod]: non-functional in v1.27+; use the "seccompProfile" field instead',
    ],
  },
  {
    name: 'KND-131 volumes that are gone',
    path: `${core}/pods`,
    kind: 'Pod',
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
    name: 'KND-131 addresses with leading zeros',
    path: `${core}/pods`,
    kind: 'Pod',
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
    name: 'KND-115 no ports',
    path: `${core}/services`,
    kind: 'Service',
    given: { spec: {} },
    expect: ['spec.ports: Required value'],
  },
  {
    name: 'KND-115 no ports, no address',
    path: `${core}/services`,
    kind: 'Service',
    given: { spec: { clusterIP: 'None' } },
    expect: [],
  },
  {
    name: 'KND-115 another name, which is none',
    path: `${core}/services`,
    kind: 'Service',
    given: { spec: { type: 'ExternalName' } },
    expect: ['spec.externalName: Required value'],
  },
  {
    name: 'KND-115 another name, and an address',
    path: `${core}/services`,
    kind: 'Service',
    given: { spec: { type: 'ExternalName', externalName: 'A_b', clusterIP: '10.0.0.5' } },
    expect: [
      'spec.clusterIPs: Forbidden: may not be set for ExternalName services',
      `spec.externalName: Invalid value: "A_b": ${texts.dns1123Subdomain}`,
    ],
  },
  {
    name: 'KND-115 no type',
    path: `${core}/services`,
    kind: 'Service',
    given: { spec: { type: 'X', ports } },
    expect: [
      'spec.type: Unsupported value: "X": supported values: "ClusterIP", "ExternalName", "LoadBalancer", "NodePort"',
    ],
  },
  {
    name: 'KND-115 ports',
    path: `${core}/services`,
    kind: 'Service',
    given: {
      spec: {
        ports: [
          { port: 0 },
          { port: 80, targetPort: 0, protocol: 'x', name: 'A.' },
          { port: 80, targetPort: 'A-', name: 'a' },
          { port: 80, name: 'a' },
        ],
      },
    },
    expect: [
      'spec.ports[0].name: Required value',
      'spec.ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive',
      'spec.ports[0].targetPort: Invalid value: 0: must be between 1 and 65535, inclusive',
      `spec.ports[1].name: Invalid value: "A.": ${texts.dns1123Label}`,
      'spec.ports[1].protocol: Unsupported value: "x": supported values: "SCTP", "TCP", "UDP"',
      'spec.ports[2].targetPort: Invalid value: "A-": must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)',
      'spec.ports[2].targetPort: Invalid value: "A-": must contain at least one letter (a-z)',
      'spec.ports[2].targetPort: Invalid value: "A-": must not begin or end with a hyphen',
      'spec.ports[3].name: Duplicate value: "a"',
      'spec.ports[3]: Duplicate value: {"Name":"","Protocol":"TCP","AppProtocol":null,"Port":80,"TargetPort":0,"NodePort":0}',
    ],
  },
  {
    name: 'KND-115 the same port',
    path: `${core}/services`,
    kind: 'Service',
    given: {
      spec: {
        ports: [
          { port: 80, name: 'a' },
          { port: 80, name: 'b' },
        ],
      },
    },
    expect: [
      'spec.ports[1]: Duplicate value: {"Name":"","Protocol":"TCP","AppProtocol":null,"Port":80,"TargetPort":0,"NodePort":0}',
    ],
  },
  {
    name: 'KND-115 no affinity',
    path: `${core}/services`,
    kind: 'Service',
    given: { spec: { ports, sessionAffinity: 'X' } },
    expect: ['spec.sessionAffinity: Unsupported value: "X": supported values: "ClientIP", "None"'],
  },
  {
    name: 'KND-115 affinity for too long',
    path: `${core}/services`,
    kind: 'Service',
    given: {
      spec: { ports, sessionAffinity: 'ClientIP', sessionAffinityConfig: { clientIP: { timeoutSeconds: 86401 } } },
    },
    expect: [
      'spec.sessionAffinityConfig.clientIP.timeoutSeconds: Invalid value: 86401: must be greater than 0 and less than 86400',
    ],
  },
  {
    name: 'KND-115 affinity for no time',
    path: `${core}/services`,
    kind: 'Service',
    given: { spec: { ports, sessionAffinity: 'ClientIP', sessionAffinityConfig: { clientIP: { timeoutSeconds: 0 } } } },
    expect: [
      'spec.sessionAffinityConfig.clientIP.timeoutSeconds: Invalid value: 0: must be greater than 0 and less than 86400',
    ],
  },
  {
    name: 'KND-115 affinity for a day',
    path: `${core}/services`,
    kind: 'Service',
    given: {
      spec: { ports, sessionAffinity: 'ClientIP', sessionAffinityConfig: { clientIP: { timeoutSeconds: 86400 } } },
    },
    expect: [],
  },
  {
    name: 'KND-115 out of range',
    path: `${core}/services`,
    kind: 'Service',
    given: { spec: { ports, clusterIP: '1.2.3.4' } },
    expect: [
      'spec.clusterIPs: Invalid value: ["1.2.3.4"]: failed to allocate IP 1.2.3.4: the provided IP (1.2.3.4) is not in the valid range. The range of valid IPs is 10.96.0.0/12',
    ],
  },
  {
    name: 'KND-115 no address',
    path: `${core}/services`,
    kind: 'Service',
    given: { spec: { ports, clusterIP: 'x' } },
    expect: ['spec.clusterIPs[0]: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'],
  },
  {
    name: 'KND-115 a port of nodes, of none',
    path: `${core}/services`,
    kind: 'Service',
    given: { spec: { ports: [{ port: 80, nodePort: 30000 }] } },
    expect: ["spec.ports[0].nodePort: Forbidden: may not be used when `type` is 'ClusterIP'"],
  },
  {
    name: 'KND-115 the same port of nodes',
    path: `${core}/services`,
    kind: 'Service',
    given: {
      spec: {
        type: 'NodePort',
        ports: [
          { port: 80, nodePort: 30500, name: 'a' },
          { port: 81, nodePort: 30500, name: 'b' },
        ],
      },
    },
    expect: ['spec.ports[1].nodePort: Duplicate value: 30500'],
  },
  {
    name: 'KND-115 what only balancers have',
    path: `${core}/services`,
    kind: 'Service',
    given: {
      spec: {
        ports,
        loadBalancerSourceRanges: ['x'],
        loadBalancerClass: 'a',
        externalTrafficPolicy: 'Local',
        healthCheckNodePort: 30001,
        allocateLoadBalancerNodePorts: true,
      },
    },
    expect: [
      "spec.LoadBalancerSourceRanges: Forbidden: may only be used when `type` is 'LoadBalancer'",
      'spec.LoadBalancerSourceRanges[0]: Invalid value: "x": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)',
      "spec.allocateLoadBalancerNodePorts: Forbidden: may only be used when `type` is 'LoadBalancer'",
      "spec.loadBalancerClass: Forbidden: may only be used when `type` is 'LoadBalancer'",
      'spec.externalTrafficPolicy: Invalid value: "Local": may only be set for externally-accessible services',
      "spec.healthCheckNodePort: Invalid value: 30001: may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'",
    ],
  },
  {
    name: 'KND-115 words',
    path: `${core}/services`,
    kind: 'Service',
    given: {
      spec: {
        ports,
        type: 'LoadBalancer',
        loadBalancerSourceRanges: ['x'],
        externalTrafficPolicy: 'X',
        internalTrafficPolicy: 'Y',
        trafficDistribution: 'Z',
      },
    },
    expect: [
      'spec.LoadBalancerSourceRanges[0]: Invalid value: "x": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)',
      'spec.externalTrafficPolicy: Unsupported value: "X": supported values: "Cluster", "Local"',
      'spec.internalTrafficPolicy: Unsupported value: "Y": supported values: "Cluster", "Local"',
      'spec.trafficDistribution: Unsupported value: "Z": supported values: "PreferClose", "PreferSameZone", "PreferSameNode"',
    ],
  },
  {
    name: 'KND-115 no policy of families',
    path: `${core}/services`,
    kind: 'Service',
    given: { spec: { ports, ipFamilyPolicy: 'Z' } },
    expect: [
      'spec.ipFamilyPolicy: Unsupported value: "Z": supported values: "PreferDualStack", "RequireDualStack", "SingleStack"',
    ],
  },
  {
    name: 'KND-115 two families',
    path: `${core}/services`,
    kind: 'Service',
    given: { spec: { ports, ipFamilies: ['IPv4', 'IPv4'], ipFamilyPolicy: 'PreferDualStack' } },
    expect: ['spec.ipFamilies[1]: Duplicate value: "IPv4"'],
  },
  {
    name: 'KND-115 both families',
    path: `${core}/services`,
    kind: 'Service',
    given: { spec: { ports, ipFamilyPolicy: 'RequireDualStack' } },
    expect: [
      'spec.ipFamilyPolicy: Invalid value: "RequireDualStack": this cluster is not configured for dual-stack services',
    ],
  },
  {
    name: 'KND-115 two first addresses',
    path: `${core}/services`,
    kind: 'Service',
    given: { spec: { ports, clusterIP: '10.0.0.7', clusterIPs: ['10.0.0.8'] } },
    expect: ['spec.clusterIPs: Invalid value: ["10.0.0.8"]: first value must match `clusterIP`'],
  },
  {
    name: 'KND-115 addresses without the first',
    path: `${core}/services`,
    kind: 'Service',
    given: { spec: { ports, clusterIPs: ['10.0.0.8'] } },
    expect: ['spec.clusterIPs: Invalid value: ["10.0.0.8"]: must be empty when `clusterIP` is not specified'],
  },
  {
    name: 'KND-115 selected by',
    path: `${core}/services`,
    kind: 'Service',
    given: { spec: { ports, selector: { 'a b': '-' }, externalIPs: ['127.0.0.1', 'x'] } },
    expect: [
      `spec.selector: Invalid value: "a b": ${texts.namePart}`,
      `spec.selector: Invalid value: "-": ${texts.labelValue}`,
      'spec.externalIPs[0]: Invalid value: "127.0.0.1": may not be in the loopback range (127.0.0.0/8, ::1/128)',
      'spec.externalIPs[1]: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
    ],
  },
  {
    name: 'KND-115 its name',
    path: `${core}/services`,
    kind: 'Service',
    given: { metadata: { name: '1.a' }, spec: { ports } },
    expect: ['metadata.name: Invalid value: "1.a": must not contain dots'],
  },
  {
    name: 'KND-115 another address',
    path: `${core}/services`,
    kind: 'Service',
    given: { spec: { type: 'NodePort', ports } },
    patch: { spec: { clusterIP: '10.96.0.77' } },
    expect: ['spec.clusterIPs[0]: Invalid value: ["10.96.0.77"]: may not change once set'],
  },
  {
    name: 'KND-115 no address: the old one',
    path: `${core}/services`,
    kind: 'Service',
    given: { spec: { type: 'NodePort', ports } },
    patch: { spec: { clusterIP: '' } },
    expect: [],
  },
  {
    name: 'KND-115 another type, without address',
    path: `${core}/services`,
    kind: 'Service',
    given: { spec: { type: 'NodePort', ports } },
    patch: { spec: { type: 'ExternalName', externalName: 'a.b', clusterIP: null, clusterIPs: null } },
    expect: [],
  },
  {
    name: 'KND-115 a type without ports of nodes',
    path: `${core}/services`,
    kind: 'Service',
    given: { spec: { type: 'NodePort', ports } },
    patch: { spec: { type: 'ClusterIP' } },
    expect: [],
  },
  {
    name: 'KND-115 no ports any more',
    path: `${core}/services`,
    kind: 'Service',
    given: { spec: { type: 'NodePort', ports } },
    patch: { spec: { ports: null } },
    expect: ['spec.ports: Required value'],
  },
  {
    name: 'KND-115 another class',
    path: `${core}/services`,
    kind: 'Service',
    given: { spec: { type: 'LoadBalancer', loadBalancerClass: 'a.b/c', ports } },
    patch: { spec: { loadBalancerClass: 'a.b/d' } },
    expect: ['spec.loadBalancerClass: Invalid value: "a.b/d": may not change once set'],
  },
  {
    name: 'KND-115 status of a balancer',
    path: `${core}/services`,
    kind: 'Service',
    given: { spec: { type: 'LoadBalancer', ports } },
    patch: {
      status: {
        loadBalancer: {
          ingress: [{ ip: 'x', hostname: '-', ipMode: 'Z' }, { ip: '1.1.1.1' }, { hostname: '1.1.1.1', ipMode: 'VIP' }],
        },
      },
    },
    part: 'status',
    expect: [
      'status.loadBalancer.ingress[0].ip: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
      'status.loadBalancer.ingress[0].ipMode: Unsupported value: "Z": supported values: "Proxy", "VIP"',
      `status.loadBalancer.ingress[0].hostname: Invalid value: "-": ${texts.dns1123Subdomain}`,
      'status.loadBalancer.ingress[2].ipMode: Forbidden: may not be specified when `ip` is not set',
      'status.loadBalancer.ingress[2].hostname: Invalid value: "1.1.1.1": must be a DNS name, not an IP address',
    ],
  },
  {
    name: 'KND-115 status without balancer',
    path: `${core}/services`,
    kind: 'Service',
    given: { spec: { ports } },
    patch: { status: { loadBalancer: { ingress: [{ ip: '1.1.1.1' }] } } },
    part: 'status',
    expect: ["status.loadBalancer.ingress: Forbidden: may only be used when `spec.type` is 'LoadBalancer'"],
  },
  {
    name: 'KND-131 addresses from outside',
    path: `${core}/services`,
    kind: 'Service',
    given: { spec: { ports, externalIPs: ['1.2.3.4'] } },
    expect: [],
    warnings: ['spec.externalIPs is deprecated and may no longer be implemented in some clusters'],
  },
  {
    name: 'KND-131 the address of a balancer',
    path: `${core}/services`,
    kind: 'Service',
    given: {
      spec: { ports, type: 'LoadBalancer', loadBalancerIP: '1.2.3.4', loadBalancerSourceRanges: ['10.0.0.1/8'] },
    },
    expect: [
      'spec.LoadBalancerSourceRanges[0]: Invalid value: "10.0.0.1/8": must not have bits set beyond the prefix length',
    ],
    warnings: [],
  },
  {
    name: 'KND-131 distribution, by its old name',
    path: `${core}/services`,
    kind: 'Service',
    given: {
      metadata: { name: 'w', annotations: { 'service.kubernetes.io/topology-aware-hints': 'auto' } },
      spec: { ports, trafficDistribution: 'PreferClose' },
    },
    expect: [],
    warnings: [
      'annotation service.kubernetes.io/topology-aware-hints is deprecated, please use service.kubernetes.io/topology-mode instead',
      'spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"',
    ],
  },
  {
    name: 'KND-116 no certificate',
    path: `${core}/secrets`,
    kind: 'Secret',
    given: { type: 'kubernetes.io/tls', data: {} },
    expect: ['data[tls.crt]: Required value', 'data[tls.key]: Required value'],
  },
  {
    name: 'KND-116 no key',
    path: `${core}/secrets`,
    kind: 'Secret',
    given: { type: 'kubernetes.io/tls', data: { 'tls.crt': 'eA==' } },
    expect: ['data[tls.key]: Required value'],
  },
  {
    name: 'KND-116 no registries',
    path: `${core}/secrets`,
    kind: 'Secret',
    given: { type: 'kubernetes.io/dockerconfigjson' },
    expect: ['data[.dockerconfigjson]: Required value'],
  },
  {
    name: 'KND-116 registries that are no JSON',
    path: `${core}/secrets`,
    kind: 'Secret',
    given: { type: 'kubernetes.io/dockerconfigjson', data: { '.dockerconfigjson': 'e3g=' } },
    expect: [
      'data[.dockerconfigjson]: Invalid value: "<secret contents redacted>": invalid character \'x\' looking for beginning of object key string',
    ],
  },
  {
    name: 'KND-116 registries, empty',
    path: `${core}/secrets`,
    kind: 'Secret',
    given: { type: 'kubernetes.io/dockercfg', data: { '.dockercfg': '' } },
    expect: ['data[.dockercfg]: Invalid value: "<secret contents redacted>": unexpected end of JSON input'],
  },
  {
    name: 'KND-116 no user',
    path: `${core}/secrets`,
    kind: 'Secret',
    given: { type: 'kubernetes.io/basic-auth' },
    expect: ['data[username]: Required value', 'data[password]: Required value'],
  },
  {
    name: 'KND-116 a user is enough',
    path: `${core}/secrets`,
    kind: 'Secret',
    given: { type: 'kubernetes.io/basic-auth', data: { username: '' } },
    expect: [],
  },
  {
    name: 'KND-116 no SSH key',
    path: `${core}/secrets`,
    kind: 'Secret',
    given: { type: 'kubernetes.io/ssh-auth', data: { 'ssh-privatekey': '' } },
    expect: ['data[ssh-privatekey]: Required value'],
  },
  {
    name: 'KND-116 no account',
    path: `${core}/secrets`,
    kind: 'Secret',
    given: { type: 'kubernetes.io/service-account-token' },
    expect: ['metadata.annotations[kubernetes.io/service-account.name]: Required value'],
  },
  {
    name: 'KND-116 keys',
    path: `${core}/secrets`,
    kind: 'Secret',
    given: { data: { 'a b': '', '..': '', '.': '', '..x': '' } },
    expect: [
      'data[.]: Invalid value: ".": must not be \'.\'',
      'data[..]: Invalid value: "..": must not be \'..\'',
      'data[..x]: Invalid value: "..x": must not start with \'..\'',
      `data[a b]: Invalid value: "a b": ${texts.configKey}`,
    ],
  },
  {
    name: 'KND-116 text under a bad key',
    path: `${core}/secrets`,
    kind: 'Secret',
    given: { stringData: { 'a b': 'x' } },
    expect: [`data[a b]: Invalid value: "a b": ${texts.configKey}`],
  },
  {
    name: 'KND-116 keys of config',
    path: `${core}/configmaps`,
    kind: 'ConfigMap',
    given: { data: { 'a b': '' }, binaryData: { 'c d': '', 'a b': '' } },
    expect: [
      `data[a b]: Invalid value: "a b": ${texts.configKey}`,
      'data[a b]: Invalid value: "a b": duplicate of key present in binaryData',
      `binaryData[a b]: Invalid value: "a b": ${texts.configKey}`,
      `binaryData[c d]: Invalid value: "c d": ${texts.configKey}`,
    ],
  },
  {
    name: 'KND-116 a key in both',
    path: `${core}/configmaps`,
    kind: 'ConfigMap',
    given: { data: { a: '' }, binaryData: { a: '' } },
    expect: ['data[a]: Invalid value: "a": duplicate of key present in binaryData'],
  },
  {
    name: 'KND-116 ConfigMap unlocked',
    path: `${core}/configmaps`,
    kind: 'ConfigMap',
    given: { immutable: true, data: { a: 'b' }, binaryData: { c: '' } },
    patch: { immutable: false },
    expect: ['immutable: Forbidden: field is immutable when `immutable` is set'],
  },
  {
    name: 'KND-116 ConfigMap unlocked and changed',
    path: `${core}/configmaps`,
    kind: 'ConfigMap',
    given: { immutable: true, data: { a: 'b' }, binaryData: { c: '' } },
    patch: { immutable: null, data: { a: 'c' }, binaryData: { c: 'eA==' } },
    expect: [
      'immutable: Forbidden: field is immutable when `immutable` is set',
      'data: Forbidden: field is immutable when `immutable` is set',
      'binaryData: Forbidden: field is immutable when `immutable` is set',
    ],
  },
  {
    name: 'KND-116 ConfigMap changed',
    path: `${core}/configmaps`,
    kind: 'ConfigMap',
    given: { immutable: true, data: { a: 'b' }, binaryData: { c: '' } },
    patch: { data: { a: 'c' } },
    expect: ['data: Forbidden: field is immutable when `immutable` is set'],
  },
  {
    name: 'KND-116 ConfigMap labels',
    path: `${core}/configmaps`,
    kind: 'ConfigMap',
    given: { immutable: true, data: { a: 'b' }, binaryData: { c: '' } },
    patch: { metadata: { labels: { a: 'b' } } },
    expect: [],
  },
  {
    name: 'KND-116 Secret unlocked',
    path: `${core}/secrets`,
    kind: 'Secret',
    given: { immutable: true, data: { a: 'Yg==' } },
    patch: { immutable: false },
    expect: ['immutable: Forbidden: field is immutable when `immutable` is set'],
  },
  {
    name: 'KND-116 Secret unlocked and changed',
    path: `${core}/secrets`,
    kind: 'Secret',
    given: { immutable: true, data: { a: 'Yg==' } },
    patch: { immutable: null, data: { a: 'eA==' } },
    expect: [
      'immutable: Forbidden: field is immutable when `immutable` is set',
      'data: Forbidden: field is immutable when `immutable` is set',
    ],
  },
  {
    name: 'KND-116 Secret text',
    path: `${core}/secrets`,
    kind: 'Secret',
    given: { immutable: true, data: { a: 'Yg==' } },
    patch: { stringData: { a: 'z' } },
    expect: ['data: Forbidden: field is immutable when `immutable` is set'],
  },
  {
    name: 'KND-116 Secret emptied',
    path: `${core}/secrets`,
    kind: 'Secret',
    given: { immutable: true, data: { a: 'Yg==' } },
    patch: { data: null },
    expect: ['data: Forbidden: field is immutable when `immutable` is set'],
  },
  {
    name: 'KND-116 Secret another type',
    path: `${core}/secrets`,
    kind: 'Secret',
    given: { data: { a: 'Yg==' } },
    patch: { type: 'kubernetes.io/tls' },
    expect: [
      'type: Invalid value: "kubernetes.io/tls": field is immutable',
      'data[tls.crt]: Required value',
      'data[tls.key]: Required value',
    ],
  },
  {
    name: 'KND-116 Secret no type: the old one',
    path: `${core}/secrets`,
    kind: 'Secret',
    given: { data: { a: 'Yg==' } },
    patch: { type: null },
    expect: [],
  },
];

t.test('KND-114 to KND-116, KND-131: pods, services, data', async t => causesTable(t, cases));
