import t from 'tap';
import { selectControllers } from '../../../../cli/flags/karmada/controller-selection.js';
import {
  karmadaControllerNames,
  kubernetesControllerNames,
  parseControllers,
  unsupportedIn,
} from '../../../../cli/parts/names.js';

t.test('the controllers that a list enables', async t => {
  const known = ['a', 'b', 'off'];
  const rows: Readonly<Record<string, readonly string[]>> = {
    '*': ['a', 'b'],
    '*,off': ['a', 'b', 'off'],
    '*,-a': ['b'],
    a: ['a'],
    'a,-a': ['a'],
    '-a': [],
    '-*': [],
    '-*,a': ['a'],
    '': [],
  };
  for (const [given, expect] of Object.entries(rows)) {
    const enabled = selectControllers(given.split(',').filter(Boolean), known, new Set(['off']));
    t.same(known.filter(enabled), expect, given);
  }
  t.throws(() => selectControllers(['*', '-aa'], ['aaa']), {
    message: 'unknown controller "aa" in --controllers; did you mean aaa?',
  });
});

t.test('former names of Kubernetes controllers', t => {
  const without = parseControllers(['*', '-garbagecollector', '-ttl-after-finished']);
  t.notOk(without('garbage-collector-controller'));
  t.notOk(without('ttl-after-finished-controller'));
  t.ok(without('namespace-controller'));
  const only = parseControllers(['serviceaccount-token']);
  t.ok(only('serviceaccount-token-controller'));
  t.notOk(only('namespace-controller'));
  t.throws(() => parseControllers(['toString']), /unknown controller "toString"/);
  t.throws(() => parseControllers(['bootstrapsinger']), /did you mean bootstrapsigner\?/);
  t.end();
});

t.test('namespace names the controllers of Kubernetes and of Karmada', t => {
  for (const [list, isOn] of [
    ['namespace', true],
    ['*,-namespace', false],
  ] as const) {
    const enabled = parseControllers(list.split(','));
    t.equal(enabled('namespace'), isOn, list);
    t.equal(enabled('namespace-controller'), isOn, list);
  }
  const own = parseControllers(['namespace-controller', '-namespace']);
  t.ok(own('namespace-controller'));
  t.notOk(own('namespace'));
  t.end();
});

t.test('controllers that upstream always runs, or does not know', t => {
  for (const name of ['detector', 'dependenciesDistributor', 'memberTokenRenewal']) {
    t.ok(parseControllers(['cluster'])(name), 'a list without * does not turn them off');
    t.ok(parseControllers(['*'])(name));
    t.ok(parseControllers(['*', '-clusterStatus'])(name));
    t.notOk(parseControllers(['*', `-${name}`])(name));
    t.notOk(parseControllers([`-${name}`])(name));
    t.notOk(parseControllers(['-*', 'cluster'])(name));
    t.ok(parseControllers(['-*', name])(name));
  }
  t.end();
});

t.test('the lists of the manifests of Karmada', t => {
  const ofKubernetes =
    'namespace,garbagecollector,serviceaccount-token,ttl-after-finished,bootstrapsigner,tokencleaner,csrcleaner,csrsigning,clusterrole-aggregation';
  const names = ofKubernetes.split(',');
  const enabled = parseControllers(names);
  const missing = ['validatingadmissionpolicy-status-controller', 'certificatesigningrequest-approving-controller'];
  for (const name of kubernetesControllerNames) t.equal(enabled(name), !missing.includes(name), name);
  t.notOk(enabled('scheduler'));
  t.same(unsupportedIn(names), []);
  const ofKarmada = ['*', 'hpaScaleTargetMarker', 'deploymentReplicasSyncer'];
  t.ok(karmadaControllerNames.every(parseControllers(ofKarmada)));
  t.same(unsupportedIn(ofKarmada), []);
  t.same(
    karmadaControllerNames.filter(name => !parseControllers(['*'])(name)),
    ofKarmada.slice(1),
    'these are off by default',
  );
  const ofAgent = 'clusterStatus,execution,workStatus,serviceExport,certRotation,endpointsliceCollect'.split(',');
  t.ok(parseControllers(ofAgent)('workStatus'));
  t.same(unsupportedIn(['*', '-remedy', '-serviceExport']), [], 'what is turned off is not missed');
  t.ok(parseControllers(['*', '-remedy'])('cluster'));
  t.notOk(parseControllers(['*'])('descheduler'), 'it is installed besides the others');
  t.ok(parseControllers(['*', 'descheduler'])('descheduler'));
  t.end();
});
