/** The interpreter of Kyverno's policies. */
import t from 'tap';
import type { JsonObject } from '../../../../apimachinery/interface.js';
import { thirdPartyInterpreter as interpreter } from '../../../../controllers/interpreter/third-party/third-party.js';
import { itemsOf, objectOf } from './objects.js';

const policy = 'kyverno.io/v1/Policy';
const ready = { type: 'Ready', status: 'True', reason: 'Succeeded' };

t.test('status.ready decides over the condition', async t => {
  const health = (status: JsonObject) => interpreter.health(objectOf(policy, { status }));
  t.equal(await health({ ready: true }), 'Healthy');
  t.equal(await health({ ready: false, conditions: [ready] }), 'Unhealthy');
  t.equal(await health({ conditions: [ready] }), 'Healthy');
  t.equal(await health({}), 'Unhealthy');
  t.throws(() => health({ ready: 'yes' }), { message: 'status.ready is no boolean' });
});

t.test('an aggregated status replaces that of the template', async t => {
  const object = objectOf(policy, { status: { ready: false, other: 1 } });
  const counts = { validate: 1, generate: 0, mutate: 2, verifyimages: 0 };
  const reports = itemsOf(
    { ready: true, rulecount: counts, conditions: [{ ...ready, message: 'one' }], autogen: { rules: ['a'] } },
    { rulecount: counts, autogen: {} },
    undefined,
  );
  t.strictSame((await interpreter.aggregateStatus(object, reports))['status'], {
    ready: true,
    rulecount: { validate: 2, generate: 0, mutate: 4, verifyimages: 0 },
    conditions: [{ ...ready, message: 'm1=one' }],
  });
  t.throws(() => interpreter.aggregateStatus(object, itemsOf({ rulecount: { validate: 1 } })), {
    message: 'status.rulecount.generate is missing, not a number',
  });
});
