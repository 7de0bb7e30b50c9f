/** The flags of karmada-search: what `flagship up` makes of each. */
import t from 'tap';
import { parseSearchSettings } from '../../../../cli/flags/karmada/search.js';
import { describeIgnoredFlags, ignoredFlags, ignoredSearchFlags } from '../../../../cli/flags/ignored.js';
import { upHelp } from '../../../../cli/up/up-settings.js';
import { temporaryFolder } from '../../../storage/folder.js';
import { until } from '../../../storage/until.js';
import { run, up } from '../../process.js';

/** Flags with an effect here: the name, the default in Karmada, and ours if it differs on purpose. as cmd/karmada-search/app/options */
const effective: readonly (readonly [name: string, upstream: string, ours?: string])[] = [
  ['disable-search', 'false'],
  ['disable-proxy', 'false'],
  // All components are one client of a member here.
  ['cluster-api-qps', '40', '0'],
  ['cluster-api-burst', '60'],
  ['profiling', 'true'],
  ['etcd-servers', ''],
  ['etcd-prefix', '/registry'],
  ['etcd-cafile', ''],
  ['etcd-certfile', ''],
  ['etcd-keyfile', ''],
  ['etcd-compaction-interval', '5m'],
  ['enable-priority-and-fairness', 'true'],
  ['max-requests-inflight', '400'],
  ['max-mutating-requests-inflight', '200'],
  ['cors-allowed-origins', ''],
  ['strict-transport-security-directives', ''],
  ['goaway-chance', '0'],
  ['shutdown-delay-duration', '0s'],
  ['shutdown-send-retry-after', 'false'],
  ['audit-policy-file', ''],
  ['audit-log-path', ''],
  ['audit-log-format', 'json'],
  // as lumberjack.Logger MaxSize, which takes 100 for 0
  ['audit-log-maxsize', '0', '100'],
  ['audit-log-maxage', '0'],
  ['audit-log-maxbackup', '0'],
];

/** Flags that are accepted without effect. */
const ignored = [
  'kube-api-qps kube-api-burst kubeconfig enable-pprof profiling-bind-address v vmodule logging-format log-flush-frequency',
  'authentication-kubeconfig authentication-skip-lookup authentication-tolerate-lookup-failure',
  'authentication-token-webhook-cache-ttl authorization-kubeconfig authorization-always-allow-paths',
  'authorization-webhook-cache-authorized-ttl authorization-webhook-cache-unauthorized-ttl client-ca-file',
  'requestheader-allowed-names requestheader-client-ca-file requestheader-extra-headers-prefix',
  'requestheader-group-headers requestheader-uid-headers requestheader-username-headers advertise-address',
  'bind-address secure-port cert-dir tls-cert-file tls-private-key-file tls-min-version permit-address-sharing',
  'permit-port-sharing disable-http2-serving http2-max-streams-per-connection external-hostname',
  'contention-profiling debug-socket-path emulation-forward-compatible runtime-config-emulation-forward-compatible',
  'enable-garbage-collector watch-cache watch-cache-sizes default-watch-cache-size delete-collection-workers',
  'etcd-count-metric-poll-period etcd-db-metric-poll-interval etcd-healthcheck-timeout etcd-readycheck-timeout',
  'lease-reuse-duration-seconds livez-grace-period min-request-timeout request-timeout',
  'shutdown-watch-termination-grace-period storage-backend storage-initialization-timeout storage-media-type',
]
  .join(' ')
  .split(' ');

/** Flags that ask for something that would be missing here. */
const refused = [
  'encryption-provider-config encryption-provider-config-automatic-reload etcd-servers-overrides tls-cipher-suites',
  'tls-curve-preferences tls-sni-cert-key audit-webhook-config-file audit-webhook-mode audit-webhook-version',
  'audit-webhook-initial-backoff audit-log-mode audit-log-version audit-log-compress audit-log-truncate-enabled',
  'audit-log-batch-max-size',
]
  .join(' ')
  .split(' ');

t.test('each flag of karmada-search has the default and the effect of the table', async t => {
  const lines = upHelp().split('\n');
  for (const [name, upstream, ours = upstream] of effective) {
    const line = lines.find(each => each.trimStart().startsWith(`--${name} `)) ?? '';
    t.not(line, '', name);
    const [, value = ''] = /\(default ([^)]*)\)$/.exec(line) ?? [];
    t.equal(value || 'false', ours || 'false', `the default of ${name}`);
  }
  const accepted = { ...ignoredFlags, ...ignoredSearchFlags };
  for (const name of ignored) t.ok(Object.hasOwn(accepted, name), name);
  t.same(
    Object.keys(ignoredSearchFlags).filter(name => !ignored.includes(name)),
    [],
    'no other flag is accepted',
  );
  const effects = effective.map(([name]) => name);
  t.same(
    effects.filter(name => Object.hasOwn(accepted, name)),
    [],
    'no flag with an effect counts as ignored',
  );
  for (const name of refused) t.notOk(Object.hasOwn(accepted, name), name);
  t.match(await run(t, 'up', '--encryption-provider-config=/tmp/x'), { code: 1, err: /unknown flag/ });
  t.ok(upHelp().includes(`${describeIgnoredFlags(ignoredSearchFlags)}\n`), 'the help lists them');
});

t.test('settings', t => {
  const settings = parseSearchSettings({ 'disable-search': false, 'disable-proxy': true });
  t.same(settings, { search: true, proxy: false, backends: true });
  t.end();
});

/**
 * As artifacts/deploy/karmada-search.yaml, without etcd, which would have to be there, and without `--audit-log-path`, which needs a policy here:
 * alone it would record nothing.
 */
const manifest = [
  '--kubeconfig=/etc/karmada/config/karmada.config',
  '--authentication-kubeconfig=/etc/karmada/config/karmada.config',
  '--authorization-kubeconfig=/etc/karmada/config/karmada.config',
  '--tls-cert-file=/etc/karmada/pki/server/tls.crt',
  '--tls-private-key-file=/etc/karmada/pki/server/tls.key',
  '--audit-log-maxage=0',
  '--audit-log-maxbackup=0',
  '--tls-min-version=VersionTLS13',
  '--bind-address=$(POD_IP)',
  '--logging-format=json',
];

t.test('the arguments of the manifest are accepted, and what has no effect is reported once', async t => {
  const { complaints } = await up(t, await temporaryFolder(t), ...manifest);
  const lines = (): string[] =>
    complaints()
      .split('\n')
      .filter(line => line.includes('have no effect here'));
  await until('the line', () => lines().length > 0);
  t.match(JSON.parse(lines()[0] ?? ''), {
    level: 'warn',
    flags: [
      ...['--kubeconfig', '--authentication-kubeconfig', '--authorization-kubeconfig', '--tls-cert-file'],
      ...['--tls-private-key-file', '--tls-min-version', '--bind-address', '--logging-format'],
    ],
  });
});
