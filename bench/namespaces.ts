import type { Target } from './target.js';

const path = '/api/v1/namespaces';
const timeoutMs = 300_000;
const pollMs = 250;

/** Creates the namespaces, runs `work`, deletes them, and waits until they are gone, so that their deletion does not affect the next measurement. */
export async function inNamespaces<T>(target: Target, names: readonly string[], work: () => Promise<T>): Promise<T> {
  for (const name of names)
    await target.send('POST', path, JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }));
  try {
    return await work();
  } finally {
    for (const name of names) await target.send('DELETE', `${path}/${name}`);
    await gone(target, names);
  }
}

/** Without a namespace controller the namespaces stay, which is not an error of the measurement. */
async function gone(target: Target, names: readonly string[]): Promise<void> {
  const end = performance.now() + timeoutMs;
  let left = names;
  while (performance.now() < end) {
    const { items } = JSON.parse((await target.send('GET', path)).toString('utf8')) as {
      items: { metadata: { name: string } }[];
    };
    left = names.filter(name => items.some(({ metadata }) => metadata.name === name));
    if (left.length === 0) return;
    await new Promise(resolve => setTimeout(resolve, pollMs));
  }
  console.error(`namespaces are still there after ${timeoutMs / 1000} s: ${left.join(', ')}`);
}
