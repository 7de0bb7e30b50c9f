/** Resources in discovery, and the columns of their Tables. */
import t from 'tap';
import { kindFacts } from '../facts.js';
import { sharedFixture } from '../fixture.js';

interface Served {
  readonly name: string;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
}

t.test('discovery and the columns of Tables are those of Kubernetes', async t => {
  const { ask, table } = await sharedFixture();
  for (const { apiVersion, plural, kind, namespaced, shortNames, categories, verbs, parts, columns } of kindFacts) {
    const id = `${apiVersion} ${plural}`;
    const root = apiVersion === 'v1' ? '/api/v1' : `/apis/${apiVersion}`;
    const resources = (await ask(`GET ${root}`)).object['resources'] as readonly Served[];
    const found = resources.find(({ name }) => name === plural);
    t.match(found, { kind, singularName: kind.toLowerCase(), namespaced, verbs }, id);
    t.same([found?.shortNames, found?.categories], [shortNames, categories], `${id} names`);
    const served = resources
      .filter(({ name }) => name.startsWith(`${plural}/`))
      .map(({ name, verbs }) => `${name.slice(plural.length + 1)}(${verbs.join()})`);
    t.same(served.sort(), parts.toSorted(), `${id} subresources`);
    if (!columns) continue;
    const { columnDefinitions } = await table(`${root}/${plural}?limit=1`);
    // Columns of priority 1 are between the others.
    const shown = [0, 1].flatMap(wanted => columnDefinitions.filter(({ priority }) => priority === wanted));
    t.same(
      shown.map(({ name, type, priority }) => `${name} ${type} ${priority}`),
      columns,
      `${id} columns`,
    );
  }
});

t.test('reads of component statuses have a warning', async t => {
  const { ask } = await sharedFixture();
  const { headers } = await ask('GET /api/v1/componentstatuses');
  t.equal(headers['warning'], '299 - "v1 ComponentStatus is deprecated in v1.19+"');
});
