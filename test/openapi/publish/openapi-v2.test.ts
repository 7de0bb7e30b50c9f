import t from 'tap';
import { atOnce } from '../../../lib/time-slice.js';
import { groupVersions } from '../../../openapi/publish/group-versions.js';
import { swaggerDocument } from '../../../openapi/publish/openapi-v2.js';
import { recorded } from '../../data.js';
import { comparable, type Fields } from './comparable.js';
import { nativePublished, sourceOf } from './sources.js';

interface Swagger extends Fields {
  paths: Record<string, Fields>;
  definitions: Record<string, Fields>;
}

t.test('the document of the native resources is that of kube-apiserver', async t => {
  const upstream = comparable(recorded('upstream/openapi-v2.json')) as Swagger;
  const given = comparable(atOnce(swaggerDocument(groupVersions(sourceOf(nativePublished())), {}))) as Swagger;
  // The page of a group that has only alpha versions here, and the logs of nodes.
  const absent = ['/apis/internal.apiserver.k8s.io/', '/logs/', '/logs/{logpath}'];
  for (const path of absent) delete upstream.paths[path];
  // These kinds list the group-versions of the document, which are fewer here.
  for (const { definitions } of [upstream, given])
    for (const kind of ['DeleteOptions', 'WatchEvent'])
      delete definitions[`io.k8s.apimachinery.pkg.apis.meta.v1.${kind}`]?.['x-kubernetes-group-version-kind'];
  t.same(Object.keys(given.paths), Object.keys(upstream.paths).sort());
  for (const [path, item] of Object.entries(upstream.paths)) t.same(given.paths[path], item, path);
  t.same(Object.keys(given.definitions), Object.keys(upstream.definitions).sort());
  for (const [name, schema] of Object.entries(upstream.definitions)) t.same(given.definitions[name], schema, name);
  t.same({ ...given, paths: {}, definitions: {} }, { ...upstream, paths: {}, definitions: {} });
});
