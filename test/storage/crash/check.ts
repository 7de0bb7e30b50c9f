import type { Test } from 'tap';
import type { Backend, Change, Revision } from '../../../storage/interface.js';
import { text } from '../../conformance/store.js';
import type { Acknowledged } from './child.js';

const never = new AbortController().signal;

/** The state that the parent process has seen. */
export interface Seen {
  revision: Revision;
  readonly changes: Map<number, Change<Uint8Array>>;
}

/** Watches the store up to its newest revision. Returns the changes since `seen`. */
async function follow(store: Backend, seen: Seen, target: Revision): Promise<Change<Uint8Array>[]> {
  const changes: Change<Uint8Array>[] = [];
  if (target <= seen.revision) return changes;
  for await (const change of store.watch('/crash/', seen.revision, never)) {
    if (change.type === 'progress') continue;
    changes.push(change);
    seen.changes.set(change.revision, change);
    seen.revision = change.revision;
    if (change.revision >= target) break;
  }
  return changes;
}

/** Checks that no acknowledged write is lost, and that the watch has all of them in order, without a gap. */
export async function check(
  t: Test,
  store: Backend,
  seen: Seen,
  acknowledged: readonly Acknowledged[],
  round: string,
): Promise<void> {
  const before = seen.revision;
  const now = await store.revision();
  const latest = Math.max(before, ...acknowledged.map(ack => ack.revision));
  const told = await follow(store, seen, now);
  const lost = acknowledged.filter(ack => {
    const change = seen.changes.get(ack.revision);
    return change?.type !== 'put' || change.item.key !== ack.key || text(change.item.value) !== ack.value;
  });
  const page = await store.range('/crash/');
  const standing = new Map(page.items.map(item => [item.key, item]));
  const missing = acknowledged.filter(ack => {
    const item = standing.get(ack.key);
    return (
      item === undefined ||
      item.revision < ack.revision ||
      (item.revision === ack.revision && text(item.value) !== ack.value)
    );
  });
  t.ok(now >= latest, `${round}: the revision went on`);
  t.same(lost, [], `${round}: ${acknowledged.length} acknowledged writes were told`);
  t.same(missing, [], `${round}: they are stored`);
  t.same(
    told.map(change => change.revision),
    Array.from({ length: now - before }, (_, i) => before + 1 + i),
    `${round}: the watch goes on without a gap`,
  );
}
