/** Compares functions to the recorded results of their Karmada originals. */
import t from 'tap';
import { golden } from '../data.js';
import { withoutEtcd } from '../storage/etcd-server.js';
import { checks } from './golden/checks.js';
import { etcdServed } from './golden/etcd.js';
import { lists, notRun } from './golden/not-run.js';
import { thirdPartyVectors, vectorsIn } from './golden/third-party.js';

/** Number of vectors that are run, so that none is lost. */
const counts: Readonly<Record<string, number>> = {
  'admission: karmada-webhook': 568,
  'admission: karmada-aggregated-apiserver': 41,
  'estimators: general': 233,
  'estimators: sets of components': 125,
  'estimators: accurate': 184,
  'estimators: accurate sets of components': 142,
  'estimators: modeling': 88,
  'interpreter: native kinds': 366,
  'matching: resource selectors': 181,
  'matching: cluster affinities': 204,
  'matching: changes of templates': 110,
  'matching: usage of quotas': 44,
  'names: derived names': 234,
  'overrides: manifests after policies': 466,
  'protobuf: written': 124,
  'protobuf: read': 124,
  'protobuf: read and written': 127,
  'scheduling: places and replicas': 1547,
  ...Object.fromEntries(Object.entries(thirdPartyVectors).map(([kind, count]) => [`interpreter: ${kind}`, count])),
};

for (const { area, part, notRun, run } of checks)
  t.test(`${area}: ${part}`, { skip: notRun?.reason ?? false }, async t => {
    const results = await run();
    t.equal(results.length, counts[`${area}: ${part}`], 'vectors');
    t.same(
      results.filter(({ problems }) => problems.length > 0),
      [],
    );
  });

t.test('every vector is run, or listed with a reason', async t => {
  for (const area of new Set(checks.map(({ area }) => area))) {
    const covered = new Set(checks.filter(check => check.area === area).flatMap(check => check.covered()));
    const listed = notRun.filter(entry => entry.area === area);
    const missing = golden(area).cases.filter(({ name }) => !covered.has(name));
    t.same(
      missing.map(({ name }) => name).filter(name => listed.filter(entry => lists(entry, name)).length !== 1),
      [],
      `${area}: neither run nor listed in test/conformance/golden/not-run.ts`,
    );
    for (const entry of listed)
      t.equal(missing.filter(({ name }) => lists(entry, name)).length, entry.count, `${area}: ${String(entry.names)}`);
  }
});

t.test('vectors that are named must be readable', async t => {
  const unreadable = t.testdir({ folder: {}, 'broken.json': '{"area":' });
  for (const name of ['missing.json', 'folder', 'broken.json'])
    t.throws(() => vectorsIn(`${unreadable}/${name}`), { message: /GOLDEN_INTERPRETER/ }, name);
  t.same(vectorsIn(undefined).cases, [], 'without a name, none are run, and all are listed as not run');
});

t.test('the etcd of a karmada-apiserver is served', { skip: withoutEtcd }, async t => {
  const results = (await etcdServed()) ?? [];
  t.equal(results.length, 37);
  t.same(
    results.filter(({ problems }) => problems.length > 0),
    [],
  );
});
