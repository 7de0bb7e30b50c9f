import t from 'tap';
import type { KubeObject } from '../../../apimachinery/interface.js';
import { detailsText, violations } from '../../../admission/plugins/pod-security/evaluate.js';
import { type LevelVersion, policyOf, standardText } from '../../../admission/plugins/pod-security/policy.js';
import { deployment, deployments, namespaces, pod, pods, refusal } from '../../registry/serve.js';
import { guarded, object } from './guarded.js';

const prefix = 'pod-security.kubernetes.io/';
const labels = (all: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(all).map(([name, value]) => [prefix + name, value]));

t.test('labels of a namespace select the policy', t => {
  const cases: readonly { name: string; given: Record<string, string>; expect: string; faults?: string[] }[] = [
    { name: 'none', given: {}, expect: 'privileged:latest privileged:latest privileged:latest' },
    {
      name: 'the enforced level is the level for warnings',
      given: { enforce: 'baseline', 'enforce-version': 'v1.30' },
      expect: 'baseline:v1.30 privileged:latest baseline:v1.30',
    },
    {
      name: 'each mode separately',
      given: { enforce: 'baseline', audit: 'restricted', 'audit-version': 'v1.2', warn: 'privileged' },
      expect: 'baseline:latest restricted:v1.2 privileged:latest',
    },
    {
      name: 'a separate version for warnings',
      given: { enforce: 'restricted', 'enforce-version': 'v1.20', 'warn-version': 'v1.21' },
      expect: 'restricted:v1.20 privileged:latest restricted:v1.21',
    },
    {
      name: 'invalid labels: restricted to enforce, privileged for audit and warnings',
      given: { enforce: 'Baseline', 'enforce-version': '1.2', audit: 'no', warn: 'no', 'warn-version': 'v1.01' },
      expect: 'restricted:latest privileged:latest privileged:latest',
      faults: [
        'metadata.labels[pod-security.kubernetes.io/enforce]: Invalid value: "Baseline": must be one of privileged, baseline, restricted',
        'metadata.labels[pod-security.kubernetes.io/enforce-version]: Invalid value: "1.2": must be "latest" or "v1.x"',
        'metadata.labels[pod-security.kubernetes.io/audit]: Invalid value: "no": must be one of privileged, baseline, restricted',
        'metadata.labels[pod-security.kubernetes.io/warn]: Invalid value: "no": must be one of privileged, baseline, restricted',
        'metadata.labels[pod-security.kubernetes.io/warn-version]: Invalid value: "v1.01": must be "latest" or "v1.x"',
      ],
    },
  ];
  for (const { name, given, expect, faults = [] } of cases) {
    const { policy, faults: got } = policyOf(labels(given));
    t.equal([policy.enforce, policy.audit, policy.warn].map(standardText).join(' '), expect, name);
    t.same(
      got.map(fault => `${fault.path}: ${fault.message}`),
      faults,
      name,
    );
  }
  t.end();
});

const good = {
  allowPrivilegeEscalation: false,
  capabilities: { drop: ['ALL'] },
  runAsNonRoot: true,
  seccompProfile: { type: 'RuntimeDefault' },
};
const container = (name: string, securityContext: object = good, more: object = {}) => ({
  name,
  image: 'i',
  securityContext,
  ...more,
});
const only = (securityContext: object, more: object = {}) => ({
  containers: [container('c', { ...good, ...securityContext })],
  ...more,
});

t.test('violations of the pod security standards', t => {
  const baseline: LevelVersion = { level: 'baseline', version: 'latest' };
  const restricted: LevelVersion = { level: 'restricted', version: 'latest' };
  const at = (standard: LevelVersion, version: number): LevelVersion => ({ ...standard, version });
  const cases: readonly { name: string; standard: LevelVersion; spec: object; annotations?: object; expect: string }[] =
    [
      { name: 'a pod without violations', standard: restricted, spec: only({}), expect: '' },
      {
        name: 'anything',
        standard: { level: 'privileged', version: 'latest' },
        spec: { hostNetwork: true },
        expect: '',
      },
      {
        name: 'privileged, in all kinds of containers',
        standard: baseline,
        spec: {
          containers: [container('c', { privileged: true }), container('d', { privileged: false })],
          initContainers: [container('i', { privileged: true })],
          ephemeralContainers: [container('e', { privileged: true })],
        },
        expect: 'privileged (containers "i", "c", "e" must not set securityContext.privileged=true)',
      },
      {
        name: 'host namespaces',
        standard: baseline,
        spec: { hostPID: true, hostNetwork: true, hostIPC: true },
        expect: 'host namespaces (hostNetwork=true, hostPID=true, hostIPC=true)',
      },
      {
        name: 'host ports',
        standard: baseline,
        spec: {
          containers: [
            container('a', {}, { ports: [{ hostPort: 30 }, { hostPort: 4 }, { containerPort: 1 }] }),
            container('b', {}, { ports: [{ hostPort: 30 }] }),
          ],
        },
        expect: 'hostPort (containers "a", "b" use hostPorts 30, 4)',
      },
      {
        name: 'one port',
        standard: baseline,
        spec: { containers: [container('a', {}, { ports: [{ hostPort: 30 }] })] },
        expect: 'hostPort (container "a" uses hostPort 30)',
      },
      {
        name: 'hostPath volumes',
        standard: baseline,
        spec: {
          volumes: [
            { name: 'v', hostPath: { path: '/' } },
            { name: 'w', emptyDir: {} },
          ],
        },
        expect: 'hostPath volumes (volume "v")',
      },
      {
        name: 'volumes: the restricted check replaces the baseline check',
        standard: restricted,
        spec: only({}, { volumes: [{ name: 'v', hostPath: {} }, { name: 'n', nfs: {} }, { name: 'u' }] }),
        expect:
          'restricted volume types (volumes "v", "n", "u" use restricted volume types "hostPath", "nfs", "unknown")',
      },
      {
        name: 'probe hosts',
        standard: baseline,
        spec: {
          containers: [
            container('b', {}, { livenessProbe: { httpGet: { host: 'h' } } }),
            container('a', {}, { lifecycle: { preStop: { tcpSocket: { host: 'g' } } } }),
          ],
        },
        expect: 'probe or lifecycle host (containers "a", "b" use probe or lifecycle hosts "g", "h")',
      },
      {
        name: 'probe hosts, before they were restricted',
        standard: at(baseline, 33),
        spec: { containers: [container('b', {}, { livenessProbe: { httpGet: { host: 'h' } } })] },
        expect: '',
      },
      {
        name: 'added capabilities',
        standard: baseline,
        spec: { containers: [container('c', { capabilities: { add: ['KILL', 'SYS_TIME', 'NET_ADMIN'] } })] },
        expect:
          'non-default capabilities (container "c" must not include "NET_ADMIN", "SYS_TIME" in securityContext.capabilities.add)',
      },
      {
        name: 'capabilities that are not dropped',
        standard: restricted,
        spec: {
          containers: [
            container('c', { ...good, capabilities: { add: ['KILL', 'NET_BIND_SERVICE'] } }),
            container('d', { ...good, capabilities: undefined }),
          ],
        },
        expect:
          'unrestricted capabilities (containers "c", "d" must set securityContext.capabilities.drop=["ALL"]; container "c" must not include "KILL" in securityContext.capabilities.add)',
      },
      {
        name: 'capabilities that are not dropped, before they were restricted',
        standard: at(restricted, 21),
        spec: only({ capabilities: { add: ['KILL'] } }),
        expect: '',
      },
      {
        name: 'AppArmor',
        standard: baseline,
        spec: { securityContext: { appArmorProfile: { type: 'Unconfined' } }, containers: [container('c', {})] },
        annotations: { 'container.apparmor.security.beta.kubernetes.io/c': 'unconfined' },
        expect:
          'forbidden AppArmor profiles (pod and annotation must not set AppArmor profile type to "Unconfined", "container.apparmor.security.beta.kubernetes.io/c="unconfined"")',
      },
      {
        name: 'SELinux',
        standard: baseline,
        spec: {
          securityContext: { seLinuxOptions: { type: 'spc_t', user: 'u' } },
          containers: [container('c', { seLinuxOptions: { role: 'r', type: 'container_engine_t' } })],
        },
        expect:
          'seLinuxOptions (pod and container "c" set forbidden securityContext.seLinuxOptions: type "spc_t"; user may not be set; role may not be set)',
      },
      {
        name: 'SELinux, before a type was allowed',
        standard: at(baseline, 30),
        spec: { containers: [container('c', { seLinuxOptions: { type: 'container_engine_t' } })] },
        expect:
          'seLinuxOptions (container "c" set forbidden securityContext.seLinuxOptions: type "container_engine_t")',
      },
      {
        name: 'seccomp',
        standard: baseline,
        spec: { containers: [container('c', { seccompProfile: { type: 'Unconfined' } })] },
        expect: 'seccompProfile (container "c" must not set securityContext.seccompProfile.type to "Unconfined")',
      },
      {
        name: 'seccomp in annotations',
        standard: at(baseline, 18),
        spec: { containers: [container('c', {})] },
        annotations: {
          'seccomp.security.alpha.kubernetes.io/pod': 'unconfined',
          'container.seccomp.security.alpha.kubernetes.io/c': 'localhost/x',
        },
        expect: 'seccompProfile (forbidden annotation seccomp.security.alpha.kubernetes.io/pod="unconfined")',
      },
      {
        name: 'seccomp must be set',
        standard: restricted,
        spec: only({ seccompProfile: undefined }),
        expect:
          'seccompProfile (pod or container "c" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")',
      },
      {
        name: 'the pod sets seccomp for all containers',
        standard: restricted,
        spec: only({ seccompProfile: undefined }, { securityContext: { seccompProfile: { type: 'Localhost' } } }),
        expect: '',
      },
      {
        name: 'sysctls',
        standard: baseline,
        spec: { securityContext: { sysctls: [{ name: 'a' }, { name: 'net.ipv4.tcp_rmem' }] } },
        expect: 'forbidden sysctls (a)',
      },
      {
        name: 'sysctls, before they were allowed',
        standard: at(baseline, 29),
        spec: { securityContext: { sysctls: [{ name: 'net.ipv4.tcp_rmem' }, { name: 'net.ipv4.tcp_fin_timeout' }] } },
        expect: 'forbidden sysctls (net.ipv4.tcp_rmem)',
      },
      {
        name: 'host processes',
        standard: baseline,
        spec: { securityContext: { windowsOptions: { hostProcess: true } } },
        expect: 'hostProcess (pod must not set securityContext.windowsOptions.hostProcess=true)',
      },
      {
        name: 'procMount',
        standard: baseline,
        spec: { containers: [container('c', { procMount: 'Unmasked' }), container('d', { procMount: 'Default' })] },
        expect: 'procMount (container "c" must not set securityContext.procMount to "Unmasked")',
      },
      {
        name: 'procMount with user namespaces',
        standard: baseline,
        spec: { hostUsers: false, containers: [container('c', { procMount: 'Unmasked' })] },
        expect: '',
      },
      {
        name: 'procMount with user namespaces, restricted',
        standard: restricted,
        spec: only({ procMount: 'Unmasked' }, { hostUsers: false }),
        expect: 'procMount (container "c" must not set securityContext.procMount to "Unmasked")',
      },
      {
        name: 'privilege escalation',
        standard: restricted,
        spec: only({ allowPrivilegeEscalation: undefined }),
        expect:
          'allowPrivilegeEscalation != false (container "c" must set securityContext.allowPrivilegeEscalation=false)',
      },
      {
        name: 'runAsNonRoot is not set',
        standard: restricted,
        spec: only({ runAsNonRoot: undefined }),
        expect: 'runAsNonRoot != true (pod or container "c" must set securityContext.runAsNonRoot=true)',
      },
      {
        name: 'runAsNonRoot is false',
        standard: restricted,
        spec: only({ runAsNonRoot: false, runAsUser: 0 }, { securityContext: { runAsNonRoot: false } }),
        expect:
          'runAsNonRoot != true (pod and container "c" must not set securityContext.runAsNonRoot=false), runAsUser=0 (container "c" must not set runAsUser=0)',
      },
      {
        name: 'root with user namespaces',
        standard: restricted,
        spec: only({ runAsNonRoot: false, runAsUser: 0 }, { hostUsers: false }),
        expect: '',
      },
      {
        name: 'fields that Windows does not have',
        standard: restricted,
        spec: { os: { name: 'windows' }, containers: [container('c', { runAsNonRoot: true })] },
        expect: '',
      },
    ];
  for (const { name, standard, spec, annotations = {}, expect } of cases)
    t.equal(
      detailsText(violations(standard, spec, { annotations: annotations as Record<string, string> })),
      expect,
      name,
    );
  t.end();
});

const namespace = (name: string, all: Record<string, string>): KubeObject =>
  object('v1', 'Namespace', { name, labels: labels(all) });
const within = (given: KubeObject, space: string): KubeObject => ({
  ...given,
  metadata: { ...given.metadata, namespace: space },
});
const loud = { containers: [container('c', { privileged: true })] };

t.test('pods are refused, templates get warnings', async t => {
  const { client, warnings } = await guarded(t);
  await client.create(namespaces, namespace('strict', { enforce: 'baseline' }));
  const text = `PodSecurity "baseline:latest": privileged (container "c" must not set securityContext.privileged=true)`;
  t.equal(
    await refusal(client.create(pods, within(pod('p', loud), 'strict'))),
    `403 Forbidden: pods "p" is forbidden: violates ${text}`,
  );
  const generated = within({ ...pod('', loud), metadata: { generateName: 'g-' } }, 'strict');
  t.match(await refusal(client.create(pods, generated)), /^403 Forbidden: pods "g-\w{5}" is forbidden: violates /);
  t.same(warnings, [], 'refused requests get no warnings');
  const given = deployment('d');
  const template = (given.spec as { template: { spec: object } }).template;
  template.spec = loud;
  await client.create(deployments, within(given, 'strict'));
  t.same(warnings, [`would violate ${text}`]);
  await client.create(pods, within(pod('p'), 'strict'));

  await client.create(namespaces, namespace('warned', { warn: 'baseline' }));
  warnings.length = 0;
  const made = await client.create(pods, within(pod('p', loud), 'warned'));
  t.same(warnings, [`would violate ${text}`]);
  warnings.length = 0;
  await client.update(pods, { ...made, metadata: { ...made.metadata, labels: { a: 'b' } } });
  t.same(warnings, [], 'an update without relevant changes is not checked again');
  const image = { spec: { containers: [{ name: 'c', image: 'j' }] } };
  await client.patch(pods, { namespace: 'warned', name: 'p' }, { type: 'strategic', patch: image });
  t.same(warnings, [`would violate ${text}`]);
});

t.test('labels of namespaces are validated, and existing pods checked against them', async t => {
  const { client, warnings } = await guarded(t);
  t.equal(
    await refusal(client.create(namespaces, namespace('n', { enforce: 'strict' }))),
    '422 Invalid: Namespace "n" is invalid: metadata.labels[pod-security.kubernetes.io/enforce]: Invalid value: "strict": must be one of privileged, baseline, restricted',
  );
  await client.create(namespaces, namespace('n', {}));
  for (const name of ['a', 'b', 'c']) await client.create(pods, within(pod(name, loud), 'n'));
  await client.create(pods, within(pod('d', { hostNetwork: true }), 'n'));
  await client.create(pods, within(pod('e'), 'n'));
  const label = (all: Record<string, string>) =>
    client.patch(namespaces, { name: 'n' }, { type: 'merge', patch: { metadata: { labels: labels(all) } } });
  warnings.length = 0;
  await label({ enforce: 'baseline' });
  t.same(warnings, [
    'existing pods in namespace "n" violate the new PodSecurity enforce level "baseline:latest"',
    'a (and 2 other pods): privileged',
    'd: host namespaces',
  ]);
  warnings.length = 0;
  await label({ enforce: 'baseline', warn: 'restricted' });
  await label({ enforce: 'privileged' });
  t.same(warnings, [], 'a level that is unchanged or lower gives no warnings');
});
