import t from 'tap';
import { equivalentsOf, kindOfTarget, partOf } from '../../../admission/matching/request-target.js';
import { createCatalogue } from '../../../registry/catalogue/catalogue.js';
import { asDefinition } from '../../../registry/dynamic/crd.js';
import { define } from '../../../registry/dynamic/define.js';
import { definition, version } from '../../registry/dynamic/definitions.js';

const scale = { specReplicasPath: '.spec.n', statusReplicasPath: '.status.n' };
const crd = asDefinition(
  definition({
    versions: [
      version('v1', { subresources: { status: {} } }),
      version('v2', { subresources: { scale } }),
      version('v3', { subresources: { status: {}, scale } }),
    ],
  }),
);
const widgets = define(crd, { names: crd.spec.names, isTerminating: () => false });
const catalogue = createCatalogue([widgets]);
const at = (name: string, subresource: string) =>
  ({ definition: widgets, version: name, subresource, operation: 'UPDATE' }) as const;
const versions = (subresource: string): readonly string[] =>
  equivalentsOf(catalogue, at('v3', subresource)).map(target => target.version);

t.test('subresources of a custom resource differ by version', t => {
  t.same(versions(''), ['v2', 'v1']);
  t.same(versions('status'), ['v1']);
  t.same(versions('scale'), ['v2']);
  t.equal(kindOfTarget(at('v2', 'scale')).kind, 'Scale');
  t.equal(kindOfTarget(at('v1', 'scale')).kind, 'Widget');
  t.end();
});

t.test('members of Object.prototype are not subresources', t => {
  for (const name of ['constructor', 'toString', '__proto__']) t.equal(partOf(at('v3', name)), undefined, name);
  t.end();
});
