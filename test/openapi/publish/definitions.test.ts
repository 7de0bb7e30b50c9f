import t from 'tap';
import { aggregatedDiscovery } from '../../../openapi/publish/aggregated.js';
import { resourceList } from '../../../openapi/publish/discovery.js';
import { groupVersions } from '../../../openapi/publish/group-versions.js';
import { nativeDefinitions } from '../../../kinds/kubernetes/native.js';
import { nativePublished, sourceOf } from './sources.js';

t.test('the definitions of the registry are published unchanged', async t => {
  const given = groupVersions(sourceOf(nativeDefinitions()));
  const expect = groupVersions(sourceOf(nativePublished(r => r.onByDefault)));
  t.same(given.map(e => `${e.group}/${e.version}`).sort(), expect.map(e => `${e.group}/${e.version}`).sort());
  for (const entry of expect) {
    const name = `${entry.group}/${entry.version}`;
    const found = given.find(e => e.group === entry.group && e.version === entry.version);
    t.same(found && resourceList(found), resourceList(entry), name);
  }
  t.same(aggregatedDiscovery(given, 'apis'), aggregatedDiscovery(expect, 'apis'));
});
