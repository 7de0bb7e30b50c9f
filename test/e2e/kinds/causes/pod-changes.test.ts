/** Updates of Pods: validation errors and warnings. */
import { containers } from '../manifests.js';
import { causes } from './causes.js';

const podSpec = { automountServiceAccountToken: false, containers };
const fullSpec = {
  ...podSpec,
  activeDeadlineSeconds: 10,
  terminationGracePeriodSeconds: -5,
  tolerations: [{ key: 'a', operator: 'Exists' }],
  schedulingGates: [{ name: 'a.b/c' }],
};
const others =
  'spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)';

causes('pods', [
  {
    name: 'a node selector of a gated pod',
    given: { spec: fullSpec },
    patch: { spec: { nodeSelector: { a: 'b' } } },
    expect: [],
  },
  {
    name: 'a later deadline',
    given: { spec: fullSpec },
    patch: { spec: { activeDeadlineSeconds: 11 } },
    expect: ['spec.activeDeadlineSeconds: Invalid value: 11: must be less than or equal to previous value'],
  },
  {
    name: 'a removed deadline',
    given: { spec: fullSpec },
    patch: { spec: { activeDeadlineSeconds: null } },
    expect: ['spec.activeDeadlineSeconds: Invalid value: null: must not update from a positive integer to nil value'],
  },
  {
    name: 'an earlier deadline',
    given: { spec: fullSpec },
    patch: { spec: { activeDeadlineSeconds: 5 } },
    expect: [],
  },
  {
    name: 'a negative deadline',
    given: { spec: fullSpec },
    patch: { spec: { activeDeadlineSeconds: -5 } },
    expect: [
      'spec.activeDeadlineSeconds: Invalid value: -5: must be between 1 and 2147483647, inclusive',
      'spec.activeDeadlineSeconds: Invalid value: -5: must be between 0 and 2147483647, inclusive',
    ],
  },
  {
    name: 'removed tolerations',
    given: { spec: fullSpec },
    patch: { spec: { tolerations: [] } },
    expect: ['spec.tolerations: Forbidden: existing toleration can not be modified except its tolerationSeconds'],
  },
  {
    name: 'an additional toleration',
    given: { spec: fullSpec },
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
    name: 'a grace period of 1 that was negative',
    given: { spec: fullSpec },
    patch: { spec: { terminationGracePeriodSeconds: 1 } },
    expect: [],
  },
  {
    name: 'another grace period',
    given: { spec: fullSpec },
    patch: { spec: { terminationGracePeriodSeconds: 2 } },
    expect: [
      `${others}\n@@ -36,7 +36,7 @@\n  ],\n  "EphemeralContainers": null,\n  "RestartPolicy": "Always",\n- "TerminationGracePeriodSeconds": 1,\n+ "TerminationGracePeriodSeconds": 2,\n  "ActiveDeadlineSeconds": 10,\n  "DNSPolicy": "ClusterFirst",\n  "NodeSelector": null,\n`,
    ],
  },
  {
    name: 'another scheduling gate',
    given: { spec: fullSpec },
    patch: { spec: { schedulingGates: [{ name: 'q.w/e' }] } },
    expect: [
      "spec.schedulingGates[0].name: Forbidden: only deletion is allowed, but found new scheduling gate 'q.w/e'",
    ],
  },
  {
    name: 'removed scheduling gates',
    given: { spec: fullSpec },
    patch: { spec: { schedulingGates: [] } },
    expect: [],
  },
  {
    name: 'an empty image',
    given: { spec: fullSpec },
    patch: { spec: { containers: [{ name: 'c', image: '' }] } },
    expect: [
      'spec.containers[0].image: Required value',
      'spec.containers[0].image: Required value',
      `${others}\n@@ -27,7 +27,7 @@\n    "Lifecycle": null,\n    "TerminationMessagePath": "/dev/termination-log",\n    "TerminationMessagePolicy": "File",\n-   "ImagePullPolicy": "Always",\n+   "ImagePullPolicy": "IfNotPresent",\n    "SecurityContext": null,\n    "Stdin": false,\n    "StdinOnce": false,\n`,
    ],
  },
  {
    name: 'an additional container',
    given: { spec: fullSpec },
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
    name: 'another image',
    given: { spec: fullSpec },
    patch: { spec: { containers: [{ name: 'c', image: 'j' }] } },
    expect: [],
  },
  {
    name: 'resources, not through the resize subresource',
    given: { spec: fullSpec },
    patch: { spec: { containers: [{ name: 'c', image: 'i', resources: { requests: { cpu: '1' } } }] } },
    expect: [
      `${others}\n@@ -13,7 +13,9 @@\n    "Env": null,\n    "Resources": {\n     "Limits": null,\n-    "Requests": null,\n+    "Requests": {\n+     "cpu": "1"\n+    },\n     "Claims": null\n    },\n    "ResizePolicy": null,\n`,
    ],
  },
  {
    name: 'the host network',
    given: { spec: fullSpec },
    patch: { spec: { hostNetwork: true } },
    expect: [
      `${others}\n@@ -44,7 +44,7 @@\n  "AutomountServiceAccountToken": false,\n  "NodeName": "",\n  "SecurityContext": {\n-  "HostNetwork": false,\n+  "HostNetwork": true,\n   "HostPID": false,\n   "HostIPC": false,\n   "ShareProcessNamespace": null,\n`,
    ],
  },
  {
    name: 'two changed fields',
    given: { spec: podSpec },
    patch: { spec: { hostname: 'x', priority: 3 } },
    expect: [
      `${others}\n@@ -64,7 +64,7 @@\n   "SELinuxChangePolicy": null\n  },\n  "ImagePullSecrets": null,\n- "Hostname": "",\n+ "Hostname": "x",\n  "Subdomain": "",\n  "SetHostnameAsFQDN": null,\n  "Affinity": null,\n@@ -87,7 +87,7 @@\n  ],\n  "HostAliases": null,\n  "PriorityClassName": "",\n- "Priority": 0,\n+ "Priority": 3,\n  "PreemptionPolicy": "PreemptLowerPriority",\n  "DNSConfig": null,\n  "ReadinessGates": null,\n`,
    ],
  },
  {
    name: 'an empty affinity',
    given: { spec: podSpec },
    patch: { spec: { affinity: {} } },
    expect: [
      `${others}\n@@ -67,7 +67,11 @@\n  "Hostname": "",\n  "Subdomain": "",\n  "SetHostnameAsFQDN": null,\n- "Affinity": null,\n+ "Affinity": {\n+  "NodeAffinity": null,\n+  "PodAffinity": null,\n+  "PodAntiAffinity": null\n+ },\n  "SchedulerName": "default-scheduler",\n  "Tolerations": [\n   {\n`,
    ],
  },
  {
    name: 'an empty node affinity of a gated pod',
    given: { spec: fullSpec },
    patch: { spec: { affinity: { nodeAffinity: {} } } },
    expect: [],
  },
  {
    name: 'ephemeral containers, not through their subresource',
    given: { spec: podSpec },
    patch: { spec: { ephemeralContainers: [{ name: 'e', image: 'i' }] } },
    expect: ['spec: Forbidden: pod updates may not change fields other tha…'],
  },
  {
    name: 'a node selector of a pod without gates',
    given: { spec: { containers } },
    patch: { spec: { nodeSelector: { a: 'b' } } },
    expect: [
      `${others}\n@@ -137,7 +137,9 @@\n  "TerminationGracePeriodSeconds": 30,\n  "ActiveDeadlineSeconds": null,\n  "DNSPolicy": "ClusterFirst",\n- "NodeSelector": null,\n+ "NodeSelector": {\n+  "a": "b"\n+ },\n  "ServiceAccountName": "default",\n  "AutomountServiceAccountToken": null,\n  "NodeName": "",\n`,
    ],
  },
]);
