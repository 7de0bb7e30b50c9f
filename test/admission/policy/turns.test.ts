/** Policies that take long: they yield to other requests, and fail at their cost limit as the failurePolicy says. */
import t from 'tap';
import { turnsDuring } from '../../turns.js';
import { addPolicy, by, configured, create, refused } from '../plugins/configured.js';

const expression = 'lists.range(1500).all(i, i >= 0 && string(i) != object.metadata.name)';

t.test('many policies yield to other requests', async t => {
  const server = await configured(t);
  const { client } = server;
  for (let i = 0; i < 60; i++)
    await addPolicy(client, `p${i}`, {
      variables: [{ name: 'n', expression: 'lists.range(1500).map(i, i + 1).size()' }],
      validations: [{ expression }, { expression: 'variables.n == 1500' }],
    });
  // The last policy is in force when it refuses.
  await addPolicy(client, 'z', { validations: [{ expression: "object.metadata.name != 'x'" }] });
  let text = '';
  await refused(() => create(server));
  const { count, longest } = await turnsDuring(100, async () => {
    text = await refused(() => create(server));
  });
  t.equal(text, `422 Invalid: ${by('z', "failed expression: object.metadata.name != 'x'")}`);
  t.ok(count > 5, `${count} turns`);
  t.ok(longest < 100, `${longest} ms`);
});

t.test('an expression that exceeds its limits fails as the failurePolicy says', async t => {
  const server = await configured(t);
  let list = 'a30';
  for (let i = 30; i > 0; i--) list = `cel.bind(a${i}, a${i - 1} + a${i - 1}, ${list})`;
  const doubled = `cel.bind(a0, ['x'], ${list}).join('') != object.metadata.name`;
  await addPolicy(server.client, 'p', { validations: [{ expression: doubled }] });
  t.match(
    await refused(() => create(server)),
    /resulted in error: operation cancelled: the expression visits or makes more values than it may/,
  );
});

t.test('the rules of a policy with thousands of them are compiled in time slices', async t => {
  const server = await configured(t);
  const validations = Array.from({ length: 10_000 }, (_, i) => ({ expression: `object.data.k != 'x${i}'` }));
  await addPolicy(server.client, 'p', { validations });
  let text = '';
  const { longest } = await turnsDuring(100, async () => {
    text = await refused(() => create(server, { data: { k: 'x9999' } }));
  });
  t.equal(text, `422 Invalid: ${by('p', "failed expression: object.data.k != 'x9999'")}`);
  t.ok(longest < 100, `${longest} ms`);
});
