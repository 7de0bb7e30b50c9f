/** Runs tables of rows of Tables, with the cells that were recorded of Kubernetes 1.36. */
import t, { type Test } from 'tap';
import { merge, refusal } from '../../wire.js';
import { type Fixture, sharedFixture, withObject } from '../fixture.js';

interface RowCase {
  readonly name: string;
  readonly given: object;
  readonly status?: object;
  /** Whether the object is deleted, and kept by its finalizers. */
  readonly goes?: boolean;
  /** The cell of the name, if it differs from the name. */
  readonly title?: string;
  /** All cells except the name; texts may be regular expressions. */
  readonly expect: readonly unknown[];
  readonly conditions?: readonly object[];
}

/** The age of a new object. */
export const age = /^\d+s$/;
export const years = /^\d+y(\d+d)?$/;

interface Shown {
  readonly fixture: Fixture;
  readonly path: string;
  readonly name: string;
}

async function shows(t: Test, { fixture, path, name }: Shown, each: RowCase): Promise<void> {
  if (each.status) {
    const set = await fixture.ask(`PATCH ${path}/status`, { status: each.status }, merge);
    t.equal(set.status, 200, `${each.name} ${set.status === 200 ? '' : refusal(set)}`);
  }
  if (each.goes) await fixture.ask(`DELETE ${path}`);
  const [row] = (await fixture.table(path)).rows;
  const title = each.title ?? name;
  // The name is the last cell of events.
  const expected = path.includes('/events/') ? [...each.expect, title] : [title, ...each.expect];
  const shown = row?.cells.map((cell, i) => {
    const wanted = expected[i];
    return wanted instanceof RegExp && wanted.test(String(cell)) ? wanted : cell;
  });
  t.strictSame(shown, expected, each.name);
  t.strictSame(row?.conditions, each.conditions, `${each.name}: conditions`);
}

/** Tests the rows of a resource, with one object each. */
export function rows(resource: string, cases: readonly RowCase[]): void {
  t.test(`${resource}: rows of Tables`, async t => {
    const fixture = await sharedFixture();
    for (const each of cases)
      await withObject(t, { fixture, resource, ...each }, (path, name) => shows(t, { fixture, path, name }, each));
  });
}
