/**
 * Checks whether a history is one of a single, linearizable store. Revisions give the order of all changes, so that no search is needed:
 * the watches together are that order, and all operations are compared to it.
 */
import type { Event, History, Operation, Watched } from './history.js';

type Write = Extract<Operation, { type: 'write' }>;

/** All changes, by revision, and those of each key. */
interface Order {
  readonly changes: readonly Event[];
  readonly ofKey: ReadonlyMap<string, readonly Event[]>;
  /** Returns the state of a key at this revision, as its last change; undefined if it is absent. */
  stateAt(key: string, revision: number): Event | undefined;
  /** Returns the first change of a key after this revision. */
  next(key: string, revision: number): Event | undefined;
}

/** Returns the index of the first event with a revision greater than this one. */
function after(events: readonly Event[], revision: number): number {
  let [low, high] = [0, events.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((events[middle]?.revision ?? 0) <= revision) low = middle + 1;
    else high = middle;
  }
  return low;
}

function orderOf(watches: readonly Watched[], faults: string[]): Order {
  const byRevision = new Map<number, Event>();
  for (const { watcher, events } of watches)
    for (const event of events) {
      const known = byRevision.get(event.revision);
      if (!known) byRevision.set(event.revision, event);
      else if (known.key !== event.key || known.type !== event.type || known.value !== event.value)
        faults.push(`${watcher}: ${JSON.stringify(event)}, which others received as ${JSON.stringify(known)}`);
    }
  const changes = [...byRevision.values()].sort((a, b) => a.revision - b.revision);
  const ofKey = new Map<string, Event[]>();
  for (const change of changes) {
    const others = ofKey.get(change.key);
    if (others) others.push(change);
    else ofKey.set(change.key, [change]);
  }
  return {
    changes,
    ofKey,
    stateAt(key, revision) {
      const events = ofKey.get(key) ?? [];
      const last = events[after(events, revision) - 1];
      return last?.type === 'DELETED' ? undefined : last;
    },
    next(key, revision) {
      const events = ofKey.get(key) ?? [];
      return events[after(events, revision)];
    },
  };
}

/** Checks that the watches together cover all revisions. Watches may expire (410), but not all at once. */
function checkCoverage(watches: readonly Watched[], faults: string[]): void {
  let covered: number | undefined;
  for (const { from, to } of [...watches].sort((a, b) => a.from - b.from)) {
    if (covered !== undefined && from > covered)
      faults.push(`no watcher received the changes from ${covered} to ${from}`);
    covered = Math.max(covered ?? 0, to);
  }
}

/** Checks that a watch has no gap, no duplicate and no reordering. */
function checkWatch({ watcher, from, events, to }: Watched, { changes }: Order, faults: string[]): void {
  const expected = changes.slice(after(changes, from), after(changes, to));
  for (let i = 0; i < Math.max(expected.length, events.length); i++) {
    const [want, got] = [expected[i]?.revision, events[i]?.revision];
    if (want === got) continue;
    faults.push(`${watcher}: after revision ${events[i - 1]?.revision ?? from} came ${got}, and not ${want}`);
    return;
  }
}

/** Returns an id of a write: its value, which is unique, or the version that it removes. */
const idOf = (key: string, value: string | undefined, expect: number): string => `${key} ${value ?? `-${expect}`}`;

/** Checks that every change follows from the previous one, and is the result of exactly one write. */
function checkChanges(order: Order, writes: readonly Write[], faults: string[]): void {
  const asked = new Map<string, Write>();
  for (const write of writes) {
    const wanted = idOf(write.key, write.value, write.expect);
    // Several clients may remove one version; all but one are refused.
    if (write.outcome !== 'refused' || !asked.has(wanted)) asked.set(wanted, write);
  }
  for (const [key, events] of order.ofKey) {
    let before: Event | undefined;
    for (const event of events) {
      const current = before?.type === 'DELETED' ? undefined : before;
      const type = event.type === 'DELETED' ? 'DELETED' : current ? 'MODIFIED' : 'ADDED';
      if (event.type !== type || (type === 'DELETED' && event.value !== current?.value))
        faults.push(`${JSON.stringify(event)} after ${JSON.stringify(before)}`);
      const version = current?.revision ?? 0;
      const wanted = idOf(key, type === 'DELETED' ? undefined : event.value, version);
      const write = asked.get(wanted);
      asked.delete(wanted);
      if (!write) faults.push(`nobody wrote ${JSON.stringify(event)}, or not again`);
      else if (write.outcome === 'refused') faults.push(`${JSON.stringify(event)} was refused`);
      else if (write.expect !== version) faults.push(`${JSON.stringify(event)} replaced another version`);
      before = event;
    }
  }
}

/** Returns why an answered operation contradicts the order, or undefined. Revisions up to `floor` were visible before it began. */
function contradiction(operation: Operation, order: Order, floor: number): string | undefined {
  const { key } = operation;
  if (operation.type === 'list') {
    if (operation.revision < floor) return `is of revision ${operation.revision}, before ${floor}`;
    for (const name of new Set([...order.ofKey.keys(), ...operation.items.keys()])) {
      const [want, got] = [order.stateAt(name, operation.revision), operation.items.get(name)];
      if (want?.revision !== got?.revision || want?.value !== got?.value)
        return `has ${name} at ${got?.revision}, and not at ${want?.revision}`;
    }
    return undefined;
  }
  if (operation.type === 'read') {
    if (operation.revision === 'absent') return absentSince(key, order, floor) ? undefined : 'found nothing';
    const seen = order.stateAt(key, operation.revision);
    if (seen?.revision !== operation.revision || seen.value !== operation.value) return 'is of no change';
    const newer = order.next(key, operation.revision);
    return newer && newer.revision <= floor ? `is stale: ${newer.revision} was known` : undefined;
  }
  if (operation.outcome === 'refused')
    return order.next(key, operation.expect) ? undefined : 'was refused, but what it expected stands';
  if (operation.revision === undefined) {
    const removal = order.next(key, operation.expect);
    return removal?.type === 'DELETED' && removal.revision > floor ? undefined : 'removed nothing';
  }
  const made = order.stateAt(key, operation.revision);
  if (made?.revision !== operation.revision || made.value !== operation.value) return 'is lost';
  return operation.revision > floor ? undefined : `is before ${floor}`;
}

/** Returns whether the key was absent at some time at or after `floor`. */
function absentSince(key: string, order: Order, floor: number): boolean {
  if (!order.stateAt(key, floor)) return true;
  const events = order.ofKey.get(key) ?? [];
  return events.slice(after(events, floor)).some(({ type }) => type === 'DELETED');
}

/** Returns the newest revision that the answer of the operation shows. */
function visibleRevision(operation: Operation, order: Order): number {
  if (operation.type === 'list') return operation.revision;
  if (operation.type === 'read') return operation.revision === 'absent' ? 0 : operation.revision;
  if (operation.outcome !== 'done') return 0;
  return operation.revision ?? order.next(operation.key, operation.expect)?.revision ?? 0;
}

/** Checks the order in real time: an operation sees everything that was answered before it began. */
function checkOperations(operations: readonly Operation[], order: Order, faults: string[]): void {
  const answered = operations.filter(operation => operation.type !== 'write' || operation.outcome !== 'unknown');
  const byEnd = [...answered].sort((a, b) => a.end - b.end);
  const byStart = [...answered].sort((a, b) => a.start - b.start);
  let [floor, ended] = [0, 0];
  for (const operation of byStart) {
    for (let one = byEnd[ended]; one && one.end < operation.start; one = byEnd[++ended])
      floor = Math.max(floor, visibleRevision(one, order));
    const fault = contradiction(operation, order, floor);
    if (fault !== undefined) faults.push(`${describe(operation)} ${fault}`);
  }
}

const describe = ({ client, type, key, revision, ...rest }: Operation): string =>
  `${client}: ${type} of ${key} at ${revision}${'value' in rest ? ` (${rest.value})` : ''}`;

/** Returns the faults of a history, at most 100. A history without faults is linearizable, and its watches are complete. */
export function historyFaults({ operations, watches }: History): string[] {
  const faults: string[] = [];
  const order = orderOf(watches, faults);
  checkCoverage(watches, faults);
  for (const watch of watches) checkWatch(watch, order, faults);
  checkChanges(
    order,
    operations.filter(operation => operation.type === 'write'),
    faults,
  );
  checkOperations(operations, order, faults);
  return faults.slice(0, 100);
}
