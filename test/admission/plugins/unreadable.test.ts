/** A stored configuration that this version cannot evaluate leaves all others in force. */
import t from 'tap';
import type { KubeObject } from '../../../apimachinery/interface.js';
import { Policies } from '../../../admission/policy/policies.js';
import { createHooks } from '../../../admission/webhook/hooks.js';
import type { AdmissionRequest } from '../../../registry/admission-plugin.js';
import { createCatalogue } from '../../../registry/catalogue/catalogue.js';
import { nativeDefinitions } from '../../../kinds/kubernetes/native.js';
import { object } from './guarded.js';
import { v1 } from './configured.js';

const catalogue = createCatalogue(nativeDefinitions());
const definition = catalogue.find({ group: '', version: 'v1', resource: 'configmaps' });
const request = { definition, version: 'v1', subresource: '', operation: 'CREATE', name: 'x' } as AdmissionRequest;
const rules = [{ apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['configmaps'] }];
const strange = { matchExpressions: [{ key: 'a', operator: 'Resembles', values: ['b'] }] };
const set = (to: (name: string, object: KubeObject) => void, ...all: readonly KubeObject[]): void =>
  all.forEach(each => to(each.metadata.name ?? '', each));

t.test('webhooks', t => {
  const hook = (more: object = {}) => ({ webhooks: [{ name: 'w', rules, ...more }] });
  const hooks = createHooks(catalogue);
  set(
    (name, object) => hooks.set(name, object),
    object(v1, 'ValidatingWebhookConfiguration', { name: 'b' }, hook()),
    object(v1, 'ValidatingWebhookConfiguration', { name: 'a' }, hook({ objectSelector: strange })),
  );
  const [bad, good] = hooks.for(request);
  t.throws(() => bad?.hook.selectors, /"Resembles" is not a valid label selector operator/);
  t.equal(good?.hook.selectors.object.empty, true);
  t.end();
});

t.test('policies', t => {
  let compiled = 0;
  const policies = new Policies(catalogue, ({ metadata }) => {
    compiled++;
    if (metadata.name === 'a') throw new Error('unreadable');
    return { of: metadata.name };
  });
  const spec = { matchConstraints: { resourceRules: rules } };
  const bound = (name: string) =>
    object(v1, 'ValidatingAdmissionPolicyBinding', { name }, { spec: { policyName: name } });
  const policy = (name: string) => object(v1, 'ValidatingAdmissionPolicy', { name }, { spec });
  set((name, object) => policies.setPolicy(name, object), policy('c'), policy('b'), policy('a'));
  set((name, object) => policies.setBinding(name, object), bound('a'), bound('b'));
  const hooks = policies.for(request);
  const [bad, good] = hooks;
  t.equal(hooks.length, 2);
  t.throws(() => bad?.policy.evaluator, /unreadable/);
  t.same([good?.policy.evaluator, good?.policy.evaluator], [{ of: 'b' }, { of: 'b' }]);
  t.equal(compiled, 2, 'each policy once, and unbound policies never');
  policies.setBinding('a', undefined);
  const [left, ...others] = policies.for(request);
  t.same([left?.policy.evaluator, others, compiled], [{ of: 'b' }, [], 2], 'unchanged policies are not compiled again');
  t.end();
});
