/** A server for tests of native kinds over a real socket. */
import root, { type Test } from 'tap';
import { runningServer } from '../../apiserver/running.js';
import { type Ask, type Wired, inJson, refusal, wire } from '../wire.js';
import { type Place, placeOf } from './facts.js';

interface TableRow {
  readonly cells: readonly unknown[];
  readonly conditions?: readonly object[];
  readonly object: Wired;
}

interface Table {
  readonly columnDefinitions: readonly { readonly name: string; readonly type: string; readonly priority: number }[];
  readonly rows: readonly TableRow[];
}

export interface Fixture {
  readonly ask: Ask;
  readonly table: (path: string) => Promise<Table>;
}

/** Starts a server without further objects. */
export async function freshFixture(t: Test): Promise<Fixture> {
  const client = wire(t, await runningServer(t, { profile: 'kubernetes' }));
  return {
    ask: inJson(client),
    async table(path) {
      const { object } = await client.send(`GET ${path}`, { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' });
      return object as unknown as Table;
    },
  };
}

/** Starts a server that accepts Pods. */
export async function fixture(t: Test): Promise<Fixture> {
  const fresh = await freshFixture(t);
  const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default' } };
  await fresh.ask('POST /api/v1/namespaces/default/serviceaccounts', account);
  return fresh;
}

let running: Promise<Fixture> | undefined;

/** Returns the server that all tables of this process share. Tests delete the objects that they create there. */
export const sharedFixture = (): Promise<Fixture> => (running ??= fixture(root));

let named = 0;
/** Returns a name that no other object has. */
const freshName = (): string => `x${named++}`;

interface Given {
  readonly metadata?: { readonly name?: string };
}

/** Returns the given object with its type and name. */
export function objectOf({ apiVersion, kind }: Place, name: string, given: object) {
  const { metadata } = given as Given;
  return { apiVersion, kind, ...given, metadata: { name, ...metadata } };
}

/** Returns the name of the given object, or a new one. */
export const nameOf = (given: object): string => (given as Given).metadata?.name ?? freshName();

interface Made {
  readonly fixture: Fixture;
  readonly resource: string;
  /** The title of the case. */
  readonly name: string;
  readonly given: object;
}

/** Creates an object, calls `use`, and deletes the object. */
export async function withObject(
  t: Test,
  { fixture: { ask }, resource, name: title, given }: Made,
  use: (path: string, name: string) => Promise<void>,
): Promise<void> {
  const place = placeOf(resource);
  const name = nameOf(given);
  const path = `${place.path}/${name}`;
  const made = await ask(`POST ${place.path}`, objectOf(place, name, given));
  if (!t.equal(made.status, 201, `${title} ${made.status === 201 ? '' : refusal(made)}`)) return;
  try {
    await use(path, name);
  } finally {
    await ask(`DELETE ${path}?gracePeriodSeconds=0`);
  }
}
