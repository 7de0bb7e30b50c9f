/** The checks of the Pod Security Standards. as pod-security-admission/policy */
import t from 'tap';
import type { PodSpec, SecurityContext } from '../../../../api/kubernetes/core.js';
import * as baseline from '../../../../admission/plugins/pod-security/baseline.js';
import type { Annotated, Check } from '../../../../admission/plugins/pod-security/check.js';
import * as restricted from '../../../../admission/plugins/pod-security/restricted.js';

type Row = readonly [name: string, given: PodSpec, expected: string | undefined, metadata?: Annotated];

/** Tests a check with pods, and what it says of each: `reason: detail`, or undefined. */
function check(what: string, of: Check, rows: readonly Row[]): void {
  t.test(what, async t => {
    for (const [name, given, expected, metadata = {}] of rows) {
      const found = of(given, metadata);
      t.equal(found && `${found.reason}: ${found.detail}`, expected, name);
    }
  });
}

/** Returns a pod whose containers have these security contexts, by their names. */
const containers = (all: Readonly<Record<string, SecurityContext | undefined>>, more: PodSpec = {}): PodSpec => ({
  containers: Object.entries(all).map(([name, securityContext]) => ({
    name,
    ...(securityContext && { securityContext }),
  })),
  ...more,
});
const pod = (securityContext: NonNullable<PodSpec['securityContext']>): PodSpec => ({
  ...containers({ a: {} }),
  securityContext,
});

check('AppArmor profiles are those of the runtime or the node', baseline.appArmorProfileCheck, [
  ['none', containers({ a: {} }), undefined],
  ['of the runtime', pod({ appArmorProfile: { type: 'RuntimeDefault' } }), undefined],
  [
    'of the pod',
    pod({ appArmorProfile: { type: 'Unconfined' } }),
    'forbidden AppArmor profile: pod must not set AppArmor profile type to "Unconfined"',
  ],
  [
    'without a type, in two containers',
    containers({ a: { appArmorProfile: {} }, b: { appArmorProfile: { type: 'Unconfined' } } }),
    'forbidden AppArmor profiles: containers "a", "b" must not set AppArmor profile type to "", "Unconfined"',
  ],
  [
    'in annotations',
    pod({ appArmorProfile: { type: 'Unconfined' } }),
    'forbidden AppArmor profiles: pod and annotation must not set AppArmor profile type to "Unconfined", "container.apparmor.security.beta.kubernetes.io/a="unconfined""',
    {
      annotations: {
        'container.apparmor.security.beta.kubernetes.io/a': 'unconfined',
        'container.apparmor.security.beta.kubernetes.io/b': 'runtime/default',
        'container.apparmor.security.beta.kubernetes.io/c': 'localhost/x',
        'container.apparmor.security.beta.kubernetes.io/d': '',
        other: 'unconfined',
      },
    },
  ],
]);

check('containers add only the capabilities that they have by default', baseline.capabilities, [
  ['a default one', containers({ a: { capabilities: { add: ['CHOWN', 'SYS_CHROOT'] } } }), undefined],
  [
    'others, in all kinds of containers',
    {
      initContainers: [{ name: 'i', securityContext: { capabilities: { add: ['NET_ADMIN', 'CHOWN'] } } }],
      containers: [{ name: 'a', securityContext: { capabilities: { add: ['BPF'] } } }, { name: 'b' }],
      ephemeralContainers: [{ name: 'e', securityContext: { capabilities: { add: ['NET_ADMIN'] } } }],
    },
    'non-default capabilities: containers "i", "a", "e" must not include "BPF", "NET_ADMIN" in securityContext.capabilities.add',
  ],
]);

check('the namespaces of the host are not used', baseline.hostNamespaces, [
  ['none', containers({}), undefined],
  ['false', { hostNetwork: false }, undefined],
  ['one', { hostPID: true }, 'host namespaces: hostPID=true'],
  [
    'all',
    { hostIPC: true, hostPID: true, hostNetwork: true },
    'host namespaces: hostNetwork=true, hostPID=true, hostIPC=true',
  ],
]);

check('paths of the host are no volumes', baseline.hostPathVolumes, [
  ['others', { volumes: [{ name: 'v', emptyDir: {} }] }, undefined],
  [
    'two',
    {
      volumes: [
        { name: 'v', hostPath: { path: '/' } },
        { name: 'w', hostPath: { path: '/' } },
      ],
    },
    'hostPath volumes: volumes "v", "w"',
  ],
]);

const withPorts = (...hostPorts: readonly number[]) => hostPorts.map(hostPort => ({ containerPort: 80, hostPort }));

check('ports of the host are not used', baseline.hostPorts, [
  ['zero', { containers: [{ name: 'a', ports: [{ containerPort: 80 }, ...withPorts(0)] }] }, undefined],
  ['one', { containers: [{ name: 'a', ports: withPorts(1) }] }, 'hostPort: container "a" uses hostPort 1'],
  [
    'the same of two containers, and another',
    {
      containers: [
        { name: 'a', ports: withPorts(9, 10) },
        { name: 'b', ports: withPorts(9) },
      ],
    },
    'hostPort: containers "a", "b" use hostPorts 10, 9',
  ],
]);

check('probes and hooks go to the pod itself', baseline.hostProbes, [
  ['no host', { containers: [{ name: 'a', livenessProbe: { httpGet: { port: 1, host: '' } } }] }, undefined],
  [
    'of a probe',
    { containers: [{ name: 'a', startupProbe: { tcpSocket: { port: 1, host: 'h' } } }] },
    'probe or lifecycle host: container "a" uses probe or lifecycle host "h"',
  ],
  [
    'of a probe and two hooks',
    {
      containers: [
        { name: 'b', readinessProbe: { httpGet: { port: 1, host: 'h' } } },
        {
          name: 'a',
          lifecycle: { postStart: { httpGet: { port: 1, host: 'i' } }, preStop: { tcpSocket: { port: 1, host: 'h' } } },
        },
      ],
    },
    'probe or lifecycle host: containers "a", "b" use probe or lifecycle hosts "h", "i"',
  ],
]);

check('no container is privileged', baseline.privileged, [
  ['false', containers({ a: { privileged: false } }), undefined],
  [
    'one of two',
    containers({ a: { privileged: true }, b: {} }),
    'privileged: container "a" must not set securityContext.privileged=true',
  ],
]);

check('/proc is mounted as by default', baseline.procMount, [
  ['the default', containers({ a: { procMount: 'Default' }, b: {} }), undefined],
  [
    'two others',
    containers({ a: { procMount: 'Unmasked' }, b: { procMount: 'other' } }),
    'procMount: containers "a", "b" must not set securityContext.procMount to "Unmasked", "other"',
  ],
]);

const seccomp = 'seccomp.security.alpha.kubernetes.io/pod';
const seccompOf = (name: string): string => `container.seccomp.security.alpha.kubernetes.io/${name}`;

check('annotations of seccomp name a profile of the runtime or the node', baseline.seccompAnnotations, [
  [
    'good ones',
    containers({ a: {}, b: {} }),
    undefined,
    {
      annotations: {
        [seccomp]: 'runtime/default',
        [seccompOf('a')]: 'localhost/x',
        [seccompOf('b')]: 'docker/default',
      },
    },
  ],
  ['of no container', containers({ a: {} }), undefined, { annotations: { [seccompOf('b')]: 'unconfined' } }],
  [
    'of the pod',
    containers({ a: {} }),
    `seccompProfile: forbidden annotation ${seccomp}="unconfined"`,
    { annotations: { [seccomp]: 'unconfined' } },
  ],
  [
    'of the pod and a container',
    containers({ a: {} }),
    `seccompProfile: forbidden annotations ${seccompOf('a')}="", ${seccomp}="unconfined"`,
    { annotations: { [seccomp]: 'unconfined', [seccompOf('a')]: '' } },
  ],
]);

const inType = (type: string): SecurityContext => ({ seLinuxOptions: { type } });

check('SELinux has one of the types for containers', baseline.seLinuxOptions('container_engine_t'), [
  ['good ones', containers({ a: inType('container_t'), b: inType('container_engine_t'), c: inType('') }), undefined],
  [
    'types of the pod and a container',
    { ...containers({ a: inType('b_t') }), securityContext: { seLinuxOptions: { type: 'a_t' } } },
    'seLinuxOptions: pod and container "a" set forbidden securityContext.seLinuxOptions: types "a_t", "b_t"',
  ],
  [
    'all at once',
    containers({ a: { seLinuxOptions: { type: 'a_t', user: 'u', role: 'r' } } }),
    'seLinuxOptions: container "a" set forbidden securityContext.seLinuxOptions: type "a_t"; user may not be set; role may not be set',
  ],
  [
    'a role',
    pod({ seLinuxOptions: { role: 'r' } }),
    'seLinuxOptions: pod set forbidden securityContext.seLinuxOptions: role may not be set',
  ],
]);

check('a type of SELinux of a later version is not known before', baseline.seLinuxOptions(), [
  [
    'container_engine_t',
    containers({ a: inType('container_engine_t') }),
    'seLinuxOptions: container "a" set forbidden securityContext.seLinuxOptions: type "container_engine_t"',
  ],
]);

check('sysctls are those that stay in the pod', baseline.sysctlsCheck(['kernel.shm_rmid_forced']), [
  ['a good one', pod({ sysctls: [{ name: 'kernel.shm_rmid_forced', value: '0' }] }), undefined],
  [
    'others',
    pod({
      sysctls: [
        { name: 'b', value: '0' },
        { name: 'kernel.shm_rmid_forced', value: '0' },
        { name: 'a', value: '0' },
      ],
    }),
    'forbidden sysctls: b, a',
  ],
]);

check('no process of Windows runs on the host', baseline.windowsHostProcess, [
  ['false', pod({ windowsOptions: { hostProcess: false } }), undefined],
  [
    'the pod and a container',
    {
      ...containers({ a: { windowsOptions: { hostProcess: true } } }),
      securityContext: { windowsOptions: { hostProcess: true } },
    },
    'hostProcess: pod and container "a" must not set securityContext.windowsOptions.hostProcess=true',
  ],
]);

check('every container refuses more privileges', restricted.allowPrivilegeEscalation, [
  ['all', containers({ a: { allowPrivilegeEscalation: false } }), undefined],
  [
    'one says nothing',
    containers({ a: { allowPrivilegeEscalation: false }, b: {}, c: { allowPrivilegeEscalation: true } }),
    'allowPrivilegeEscalation != false: containers "b", "c" must set securityContext.allowPrivilegeEscalation=false',
  ],
]);

check('every container drops all capabilities, and adds one at most', restricted.droppedCapabilities, [
  [
    'NET_BIND_SERVICE',
    containers({ a: { capabilities: { drop: ['X', 'ALL'], add: ['NET_BIND_SERVICE'] } } }),
    undefined,
  ],
  [
    'some dropped',
    containers({ a: { capabilities: { drop: ['CHOWN'] } } }),
    'unrestricted capabilities: container "a" must set securityContext.capabilities.drop=["ALL"]',
  ],
  [
    'not dropped, and others added',
    containers({ a: {}, b: { capabilities: { drop: ['ALL'], add: ['CHOWN'] } } }),
    'unrestricted capabilities: container "a" must set securityContext.capabilities.drop=["ALL"]; container "b" must not include "CHOWN" in securityContext.capabilities.add',
  ],
]);

check('the user is not root, in the pod or in every container', restricted.runAsNonRoot, [
  ['in the pod', pod({ runAsNonRoot: true }), undefined],
  ['in every container', containers({ a: { runAsNonRoot: true } }), undefined],
  [
    'in one of two',
    containers({ a: { runAsNonRoot: true }, b: {} }),
    'runAsNonRoot != true: pod or container "b" must set securityContext.runAsNonRoot=true',
  ],
  [
    'against the pod',
    containers({ a: { runAsNonRoot: false }, b: {} }, { securityContext: { runAsNonRoot: true } }),
    'runAsNonRoot != true: container "a" must not set securityContext.runAsNonRoot=false',
  ],
  [
    'false in the pod, though every container says true',
    containers({ a: { runAsNonRoot: true } }, { securityContext: { runAsNonRoot: false } }),
    'runAsNonRoot != true: pod must not set securityContext.runAsNonRoot=false',
  ],
]);

check('the user is not zero', restricted.runAsUser, [
  ['another', pod({ runAsUser: 1 }), undefined],
  [
    'of the pod and a container',
    containers({ a: { runAsUser: 0 }, b: { runAsUser: 1 } }, { securityContext: { runAsUser: 0 } }),
    'runAsUser=0: pod and container "a" must not set runAsUser=0',
  ],
]);

check('a profile of seccomp is set in the pod or in every container', restricted.chosenSeccompProfile, [
  ['in the pod', pod({ seccompProfile: { type: 'RuntimeDefault' } }), undefined],
  ['in every container', containers({ a: { seccompProfile: { type: 'Localhost' } } }), undefined],
  [
    'in one of two',
    containers({ a: { seccompProfile: { type: 'Localhost' } }, b: {} }),
    'seccompProfile: pod or container "b" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"',
  ],
  [
    'a bad one',
    containers({ a: { seccompProfile: { type: 'Unconfined' } }, b: {} }),
    'seccompProfile: container "a" must not set securityContext.seccompProfile.type to "Unconfined"',
  ],
  [
    'without a type',
    pod({ seccompProfile: {} }),
    'seccompProfile: pod must not set securityContext.seccompProfile.type to ""',
  ],
]);

check('volumes are of types that do not reach the host', restricted.restrictedVolumes, [
  [
    'good ones',
    {
      volumes: [
        { name: 'a', emptyDir: {} },
        { name: 'b', image: {} },
        { name: 'c', secret: {} },
      ],
    },
    undefined,
  ],
  ['no volumes', {}, undefined],
  [
    'two of one type, and one of an unknown type',
    { volumes: [{ name: 'a', hostPath: { path: '/' } }, { name: 'b', hostPath: { path: '/' } }, { name: 'c' }] },
    'restricted volume types: volumes "a", "b", "c" use restricted volume types "hostPath", "unknown"',
  ],
  [
    'one',
    { volumes: [{ name: 'a', nfs: { server: 's', path: '/' } }] },
    'restricted volume types: volume "a" uses restricted volume type "nfs"',
  ],
]);

t.test('a check is skipped for pods of Windows, or with a user namespace, and for no others', async t => {
  const bad = containers({ a: { privileged: true } });
  const inNamespace = restricted.unlessUserNamespace(baseline.privileged);
  t.ok(inNamespace(bad, {}));
  t.ok(inNamespace({ ...bad, hostUsers: true }, {}));
  t.equal(inNamespace({ ...bad, hostUsers: false }, {}), undefined);
  const onWindows = restricted.unlessWindows(baseline.privileged);
  t.ok(onWindows({ ...bad, os: { name: 'linux' } }, {}));
  t.ok(onWindows(bad, {}));
  t.equal(onWindows({ ...bad, os: { name: 'windows' } }, {}), undefined);
});
