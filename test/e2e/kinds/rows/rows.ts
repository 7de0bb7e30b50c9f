/** Rows of Tables, cell by cell, of what Kubernetes 1.36 was seen to print. */
import t, { type Test } from 'tap';
import { merge, refusal } from '../../wire.js';
import { type Scene, sharedScene, withObject } from '../scene.js';

export interface RowCase {
  readonly name: string;
  readonly given: object;
  readonly status?: object;
  /** It is deleted, and stays for its finalizers. */
  readonly goes?: boolean;
  /** The cell of the name, where it says more than the name. */
  readonly title?: string;
  /** All cells but that of the name; texts may be regular expressions. */
  readonly expect: readonly unknown[];
  readonly conditions?: readonly object[];
}

/** Of an object that the test has just made. */
export const age = /^\d+s$/;
export const years = /^\d+y(\d+d)?$/;

interface Shown {
  readonly scene: Scene;
  readonly path: string;
  readonly name: string;
}

async function shows(t: Test, { scene, path, name }: Shown, each: RowCase): Promise<void> {
  if (each.status) {
    const set = await scene.ask(`PATCH ${path}/status`, { status: each.status }, merge);
    t.equal(set.status, 200, `${each.name} ${set.status === 200 ? '' : refusal(set)}`);
  }
  if (each.goes) await scene.ask(`DELETE ${path}`);
  const [row] = (await scene.table(path)).rows;
  const title = each.title ?? name;
  // Events have it at the end.
  const expected = path.includes('/events/') ? [...each.expect, title] : [title, ...each.expect];
  const shown = row?.cells.map((cell, i) => {
    const wanted = expected[i];
    return wanted instanceof RegExp && wanted.test(String(cell)) ? wanted : cell;
  });
  t.strictSame(shown, expected, each.name);
  t.strictSame(row?.conditions, each.conditions, `${each.name}: conditions`);
}

/** A test of the rows of a resource, with one object each. */
export function rows(resource: string, cases: readonly RowCase[]): void {
  t.test(`${resource}: what a Table shows`, async t => {
    const scene = await sharedScene();
    for (const each of cases)
      await withObject(t, { scene, resource, ...each }, (path, name) => shows(t, { scene, path, name }, each));
  });
}
