/** Reads the values that a scenario compares. */
import { maskScenario, maskText } from './scenario-mask.js';
import type { ScenarioServers } from './scenario-servers.js';

export interface Look {
  readonly look?: string;
  readonly table?: string;
  readonly events?: string;
  readonly only?: readonly string[];
  readonly containing?: string;
}

interface List {
  items: { readonly metadata: { readonly name: string } }[];
}

interface Event {
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  readonly involvedObject: { readonly kind: string; readonly name: string };
}

interface Table {
  readonly columnDefinitions: readonly {
    readonly name: string;
    readonly type: string;
    readonly format?: string;
    readonly priority?: number;
  }[];
  readonly rows: readonly { readonly cells: readonly unknown[] }[];
}

/** Returns the value at a path such as `a.0.b`. */
export const at = (value: unknown, path: string): unknown =>
  path.split('.').reduce((step: unknown, key) => (step as Record<string, unknown> | null | undefined)?.[key], value);

/** Matches messages that depend on the timing of Karmada's retries. */
const race =
  /already exists$|object has been modified|StorageError|precondition|context (canceled|deadline)|connection refused/i;

const line = ({ type, reason, involvedObject, message }: Event): string =>
  maskText(`${type} ${reason} ${involvedObject.kind}/${involvedObject.name}: ${message}`).replace(
    /resourceVersion[:=]\S+/g,
    '<version>',
  );

function eventLines(events: readonly Event[]): string[] {
  const comparable = events.filter(({ type, message }) => !(type === 'Warning' && race.test(message)));
  return [...new Set(comparable.map(line))].sort();
}

function tableOf({ columnDefinitions, rows }: Table): unknown {
  const ages = columnDefinitions.map(({ name }) => /^age$/i.test(name));
  return {
    columns: columnDefinitions.map(
      ({ name, type, format, priority }) => `${name} ${type}${format ? ` ${format}` : ''}${priority ? ' wide' : ''}`,
    ),
    rows: rows.map(({ cells }) => cells.map((cell, i) => (ages[i] ? '<age>' : maskScenario(cell)))),
  };
}

const asTable = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };

/** Returns the masked object, or `{ code }` if the request is refused or the object is absent. */
export async function observe(servers: ScenarioServers, where: string, step: Look): Promise<unknown> {
  const path = step.events ?? step.table ?? step.look ?? '';
  const { code, value } = await servers.call(where, 'GET', path, undefined, step.table === undefined ? {} : asTable);
  if (code !== 200) return { code };
  if (step.events !== undefined) return eventLines((value as { items: Event[] }).items);
  if (step.table !== undefined) return tableOf(value as Table);
  const { containing, only } = step;
  if (containing !== undefined) {
    const list = value as List;
    list.items = list.items
      .filter(item => JSON.stringify(item).includes(containing))
      .sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  }
  const seen = maskScenario(value);
  return only ? Object.fromEntries(only.map(path => [path, at(seen, path)])) : seen;
}
