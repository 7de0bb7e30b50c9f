/** Every link of a document to another file of the project has a target. */
import fs from 'node:fs';
import path from 'node:path';
import t from 'tap';
import { anchors, documents, prose, read, root } from './documents.js';

const isOutside = (target: string): boolean => /^[a-z]+:/.test(target);

function fault(file: string, target: string): string | undefined {
  const [name = '', fragment] = target.split('#');
  const found = name === '' ? file : path.join(path.dirname(file), decodeURIComponent(name));
  if (found.startsWith('..')) return 'leads out of the project';
  if (!fs.existsSync(path.join(root, found))) return 'leads nowhere';
  if (fragment === undefined) return undefined;
  return anchors(read(found)).has(fragment) ? undefined : 'has no such heading';
}

t.test('links have targets', async t => {
  const wrong: string[] = [];
  let count = 0;
  for (const file of documents()) {
    for (const [, target = ''] of prose(read(file)).matchAll(/\]\(<?([^)\s>]+)>?\)/g)) {
      if (isOutside(target)) continue;
      count++;
      const why = fault(file, target);
      if (why !== undefined) wrong.push(`${file}: ${target} ${why}`);
    }
  }
  t.ok(count > 20, `${count} links were followed`);
  t.same(wrong, []);
});
