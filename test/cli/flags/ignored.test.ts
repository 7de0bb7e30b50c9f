/** The arguments of karmada-controller-manager in the manifests of Karmada can be given to `flagship up`. */
import t from 'tap';
import { describeIgnoredFlags, ignoredFlags } from '../../../cli/flags/ignored.js';
import { upHelp } from '../../../cli/up/up-settings.js';
import { temporaryFolder } from '../../storage/folder.js';
import { until } from '../../storage/until.js';
import { run, up } from '../process.js';

/** As artifacts/deploy/karmada-controller-manager.yaml and the Helm chart. */
const manifest = [
  '--kubeconfig=/etc/karmada/config/karmada.config',
  '--cluster-status-update-frequency=10s',
  '--controllers=*,hpaScaleTargetMarker,deploymentReplicasSyncer',
  '--feature-gates=AllAlpha=true,AllBeta=true',
  '--leader-elect-resource-namespace=karmada-system',
  '--metrics-bind-address=$(POD_IP):8080',
  '--health-probe-bind-address=$(POD_IP):10357',
  '--enable-no-execute-taint-eviction=true',
  '--logging-format=json',
  '--v=4',
];

t.test('the arguments of the manifest are accepted, and what has no effect is reported once', async t => {
  const more = [
    '--kube-api-qps',
    '40.5',
    '--enable-pprof',
    '--resync-period',
    '0',
    '-v',
    '4',
    '--controllers=serviceExport',
  ];
  const { complaints } = await up(t, await temporaryFolder(t), ...manifest, ...more);
  const lines = () =>
    complaints()
      .split('\n')
      .filter(line => /have no effect here|not supported yet/.test(line))
      .map(line => JSON.parse(line) as object);
  await until('the lines', () => lines().length >= 2);
  t.match(lines(), [
    {
      level: 'warn',
      msg: 'flags of Karmada components were given that have no effect here',
      flags: [
        ...['--kubeconfig', '--metrics-bind-address', '--health-probe-bind-address'],
        ...['--logging-format', '--v', '--kube-api-qps', '--enable-pprof'],
        '--resync-period',
      ],
    },
    {
      level: 'warn',
      msg: 'controllers in --controllers are not supported yet and do not run',
      controllers: ['serviceExport'],
    },
  ]);
});

t.test('a flag that exists nowhere is still refused', async t => {
  t.match(await run(t, 'up', '--metrics-bind-adress=:8080'), {
    code: 1,
    err: 'flagship: unknown flag: --metrics-bind-adress; did you mean --metrics-bind-address?\n',
  });
});

t.test('the help lists them in one compact group', t => {
  const group = describeIgnoredFlags();
  t.ok(upHelp().endsWith(`${group}\n`));
  t.same(
    group.split(/,\s+/).map(name => name.trim()),
    Object.keys(ignoredFlags)
      .sort()
      .map(name => `--${name}`),
  );
  t.ok(group.split('\n').every(line => line.length <= 100));
  t.end();
});
