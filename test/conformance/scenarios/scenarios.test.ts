/** Plays the recorded scenarios. docs/conformance.md lists those that differ. */
import t from 'tap';
import { isExpected, known, surprises } from '../known.js';
import { defaultWithinMs, playFile, type ScenarioFile, scenarioFiles, scenariosIn } from './scenario-files.js';
import { variations, withSwappedMembers } from './scenario-variations.js';

/** Number of scenarios in each file, so that none is lost. */
const counts: Readonly<Record<ScenarioFile, number>> = { scenarios: 61, gates: 13 };

/** Milliseconds for a file, on a machine that is several times as slow as usual. */
const timeout = 600_000;

t.jobs = 2; // the scenarios mostly wait

for (const file of scenarioFiles)
  t.test(`${file} agree with Karmada, except for known differences`, { timeout, buffered: true }, async t => {
    const results = await playFile(file, scenariosIn(file), { withinMs: defaultWithinMs });
    t.equal(results.length, counts[file]);
    t.same(surprises(file, results), []);
  });

t.test('differences are expected where they are known', async t => {
  const failed = (name: string, step: number) => ({ name, problems: [`step ${step} {"look":"/": .spec: missing`] });
  const rows = [
    { name: 'agrees', given: { name: 'scale-up', problems: [] }, expect: true },
    { name: 'differs', given: failed('scale-up', 4), expect: false },
    { name: 'differs as known', given: failed('service-export', 11), expect: true },
    { name: 'differs in an earlier step than is known', given: failed('service-export', 1), expect: false },
    { name: 'agrees although it is known to differ', given: { name: 'service-export', problems: [] }, expect: false },
  ];
  for (const { name, given, expect } of rows) t.equal(isExpected('scenarios', given), expect, name);
  t.match(surprises('scenarios', [{ name: 'service-export', problems: [] }]), [/service-export agrees now/]);
});

t.test('known differences and variations are those of recorded scenarios', async t => {
  const all = scenarioFiles.flatMap(file => scenariosIn(file).map(({ name }) => `${file}/${name}`));
  t.equal(new Set(all).size, all.length, 'their names are unique');
  const ofScenarios = Object.keys(known).filter(name => scenarioFiles.some(file => name.startsWith(`${file}/`)));
  t.strictSame(
    [...ofScenarios, ...Object.keys(variations)].filter(name => !all.includes(name)),
    [],
  );
});

t.test('the members of a step are swapped', async t => {
  t.strictSame(withSwappedMembers({ in: 'member1', look: '/karmada-es-member2/works', want: ['member12'] }), {
    in: 'member2',
    look: '/karmada-es-member1/works',
    want: ['member12'],
  });
});
