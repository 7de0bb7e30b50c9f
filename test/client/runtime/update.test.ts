import t from 'tap';
import { updateObject } from '../../../client/runtime/update.js';
import { nextTurn } from '../../../lib/time-slice.js';
import { configMap, configmaps, serve } from '../../registry/serve.js';

t.test('a change may take several turns of the event loop', async t => {
  const { client } = await serve(t);
  const made = await client.create(configmaps, configMap('a'));
  const written = await updateObject(client, configmaps, made, async draft => {
    await nextTurn();
    draft['data'] = { k: 'v' };
  });
  t.same(written['data'], { k: 'v' });
  t.notSame(made['data'], { k: 'v' }, 'the known object is unchanged');
});
