/** The flags of `flagship agent`, and what it says when it cannot begin. */
import fs from 'node:fs/promises';
import path from 'node:path';
import t from 'tap';
import { acceptedAgentFlags } from '../../../cli/agent/flags.js';
import { parseAgentProcess } from '../../../cli/agent/settings.js';
import { parseFlags } from '../../../cli/flags/flags.js';
import { kubeconfig } from '../../../authn/pki/kubeconfig.js';
import { createAuthority, issueClient } from '../../../authn/pki/authority.js';
import { temporaryFolder } from '../../apiserver/running.js';
import { run } from '../process.js';
import { ControlPlane, startPulledMember } from './pull-mode.js';

/** The flags of karmada-agent. as cmd/agent/app/options AddFlags */
const upstreamFlags = `controllers leader-elect leader-elect-resource-namespace leader-elect-lease-duration leader-elect-renew-deadline
  leader-elect-retry-period karmada-kubeconfig karmada-context cluster-name cluster-namespace cluster-status-update-frequency cluster-lease-duration
  cluster-lease-renew-interval-fraction cluster-success-threshold cluster-failure-threshold cluster-api-qps cluster-api-burst kube-api-qps
  kube-api-burst cluster-cache-sync-timeout cluster-api-endpoint proxy-server-address resync-period concurrent-cluster-syncs concurrent-work-syncs
  report-secrets metrics-bind-address health-probe-bind-address cluster-provider cluster-region cluster-zones enable-cluster-resource-modeling
  cert-rotation-checking-interval cert-rotation-remaining-time-threshold karmada-kubeconfig-namespace rate-limiter-base-delay rate-limiter-max-delay
  rate-limiter-qps rate-limiter-bucket-size feature-gates enable-pprof profiling-bind-address kubeconfig v vmodule logging-format log-flush-frequency`;

const needed = ['--cluster-name', 'edge', '--karmada-kubeconfig', '/k'];
const settingsOf = (...args: string[]) =>
  parseAgentProcess(parseFlags(acceptedAgentFlags, [...needed, ...args]).values);

t.test('all flags of karmada-agent are accepted', t => {
  for (const flag of upstreamFlags.split(/\s+/)) t.ok(Object.hasOwn(acceptedAgentFlags, flag), flag);
  t.end();
});

t.test('the defaults are those of karmada-agent, on loopback addresses', t => {
  const settings = settingsOf();
  t.match(settings, {
    controlRate: { perSecond: 40, burst: 60 },
    memberRate: { perSecond: 40, burst: 60 },
    facts: { namespace: 'karmada-cluster', apiEndpoint: '', proxyUrl: '', provider: '', region: '', zones: [] },
    election: { namespace: 'karmada-system', timing: { leaseMs: 15_000, renewMs: 10_000, retryMs: 2_000 } },
    lease: { durationMs: 40_000, renewFraction: 0.25 },
    probing: { frequencyMs: 10_000, thresholds: { successMs: 30_000, failureMs: 30_000 } },
    certRotation: { namespace: 'karmada-system', intervalMs: 300_000, remainingShare: 0.2 },
    probes: { health: { host: '127.0.0.1', port: 10357 }, metrics: { host: '127.0.0.1', port: 8080 } },
    logging: { level: 'info', format: 'auto' },
  });
  t.strictSame([...settings.facts.secrets], ['KubeCredentials', 'KubeImpersonator']);
  const controllers = ['clusterStatus', 'execution', 'workStatus', 'certRotation'] as const;
  t.strictSame(controllers.map(settings.enabled), [true, true, true, false]);
  const some = settingsOf('--controllers=*,certRotation,-execution,serviceExport', '--leader-elect=false');
  t.strictSame(controllers.map(some.enabled), [true, false, true, true]);
  t.strictSame(some.unsupported, ['serviceExport']);
  t.equal(some.election, undefined);
  t.strictSame([...settingsOf('--report-secrets=None').facts.secrets], []);
  t.strictSame([...settingsOf('--report-secrets=KubeImpersonator').facts.secrets], ['KubeImpersonator']);
  t.equal(settingsOf('--kube-api-qps=0').controlRate, undefined);
  t.match(settingsOf('--concurrent-work-syncs=3').tuning.workers, { 'execution-controller': 3 });
  t.strictSame(settingsOf('--metrics-bind-address=:1', '--health-probe-bind-address=0').probes, {
    health: undefined,
    metrics: { port: 1 },
  });
  t.end();
});

t.test('mistakes are reported in one line', async t => {
  const rows = [
    ['', '--cluster-name is required'],
    ['--cluster-name Edge', 'invalid value "Edge" for --cluster-name'],
    ['--cluster-name edge', '--karmada-kubeconfig is required'],
  ] as const;
  for (const [given, expected] of rows) {
    const { code, err } = await run(t, 'agent', ...given.split(' ').filter(Boolean));
    t.equal(code, 1, given);
    t.ok(err.startsWith('flagship: ') && err.includes(expected) && err.trim().split('\n').length === 1, err);
  }
  const refused = [
    ['--report-secrets=All', 'for --report-secrets: want KubeCredentials, KubeImpersonator, None'],
    ['--report-secrets=None,KubeCredentials', 'None stands alone'],
    ['--cluster-lease-renew-interval-fraction=1', 'must be greater than 0 and less than 1'],
    ['--cluster-lease-duration=1ms', '--cluster-lease-duration must be at least 1000ms'],
    ['--kube-api-qps=x', 'invalid value "x" for --kube-api-qps'],
    ['--cluster-api-burst=0', 'invalid value "0" for --cluster-api-burst'],
    ['--concurrent-work-syncs=-1', 'must not be negative'],
    ['--controllers=binding', 'unknown controller "binding"'],
  ] as const;
  for (const [flag, expected] of refused) t.throws(() => settingsOf(flag), { message: new RegExp(expected) }, flag);
  t.match(await run(t, 'agent', '--help'), { code: 0, out: /--karmada-kubeconfig FILE/ });
});

t.test('what keeps an agent from beginning is one line', async t => {
  const plane = await ControlPlane.start(t);
  const member = await startPulledMember(t, 'edge');
  const folder = await temporaryFolder(t);
  const written = async (name: string, server: string, token: string): Promise<string> => {
    const file = path.join(folder, name);
    const { certificate: authority } = member.server.pki.authority;
    await fs.writeFile(file, kubeconfig([{ name, server, authority, user: { token } }]));
    return file;
  };
  const agent = async (karmada: string, cluster: string, ...more: string[]): Promise<string> => {
    const probes = ['--health-probe-bind-address=0', '--metrics-bind-address=0', '--log-format=json'];
    const names = ['--karmada-kubeconfig', karmada, '--cluster-kubeconfig', cluster, '--cluster-name', 'edge'];
    const { code, err } = await run(t, 'agent', ...names, ...probes, ...more);
    t.equal(code, 1);
    t.equal(err.trim().split('\n').length, 1, err);
    return err;
  };
  const admitted = await plane.admit('edge');
  t.match(await agent(path.join(folder, 'none'), member.file), /flagship: .*no such file/);
  t.match(await agent(admitted, member.file, '--karmada-context', 'other'), /context "other" does not exist/);
  const silent = await written('silent', 'https://127.0.0.1:1', 'x');
  t.match(
    await agent(silent, member.file),
    /the control plane at https:\/\/127.0.0.1:1 does not answer: .*ECONNREFUSED/,
  );
  t.match(await agent(admitted, silent), /the cluster at https:\/\/127.0.0.1:1 does not answer/);
  const refused = await written('refused', member.server.url, 'x');
  t.match(await agent(admitted, refused), /the cluster at .* refuses the credentials/);
  const authority = await createAuthority('other');
  const credential = await issueClient(authority, { name: 'system:karmada:agent:edge' });
  const foreign = path.join(folder, 'foreign');
  const user = { credential };
  await fs.writeFile(foreign, kubeconfig([{ name: 'f', server: plane.url, authority: authority.certificate, user }]));
  t.match(await agent(foreign, member.file), /the control plane at .* does not answer: .*certificate/);
  await plane.client.create(
    { group: 'cluster.karmada.io', version: 'v1alpha1', resource: 'clusters' },
    {
      ...{ apiVersion: 'cluster.karmada.io/v1alpha1', kind: 'Cluster', metadata: { name: 'edge' } },
      spec: { syncMode: 'Pull', id: 'another' },
    },
  );
  t.match(await agent(admitted, member.file), /the cluster name edge has been registered/);
});
