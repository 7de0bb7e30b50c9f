import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { plainNode } from '../../tools/plain-node.js';

const module = new URL('../../lib/tick-shape.js', import.meta.url).href;

/** Promises have ids of their own as long as a hook watches them: tap does so in this process, hence the other one. */
const program = `
  import { executionAsyncId } from 'node:async_hooks';
  import { keepTickShape } from ${JSON.stringify(module)};
  const isFound = await keepTickShape();
  const id = await Promise.resolve().then(() => executionAsyncId());
  console.log(JSON.stringify({ isFound, isWatched: id !== 0 }));
`;

t.test('a tick object is found on this version of Node, and no hook is left behind', async t => {
  const [command, ...args] = plainNode;
  const options = { cwd: fileURLToPath(new URL('.', import.meta.url)), encoding: 'utf8' } as const;
  const output = execFileSync(command, [...args, '--input-type=module', '--eval', program], options);
  t.same(JSON.parse(output), { isFound: true, isWatched: false });
});
