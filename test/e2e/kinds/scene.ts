/** Native kinds over a real socket. */
import root, { type Test } from 'tap';
import { runningServer } from '../../apiserver/running.js';
import { type Ask, type Wired, inJson, refusal, wire } from '../wire.js';
import { type Place, placeOf } from './facts.js';

export interface TableRow {
  readonly cells: readonly unknown[];
  readonly conditions?: readonly object[];
  readonly object: Wired;
}

export interface Table {
  readonly columnDefinitions: readonly { readonly name: string; readonly type: string; readonly priority: number }[];
  readonly rows: readonly TableRow[];
}

export interface Scene {
  readonly ask: Ask;
  table(path: string): Promise<Table>;
}

/** A server on which nobody has done anything. */
export async function freshScene(t: Test): Promise<Scene> {
  const client = wire(t, await runningServer(t, { profile: 'kubernetes' }));
  return {
    ask: inJson(client),
    async table(path) {
      const { object } = await client.send(`GET ${path}`, { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' });
      return object as unknown as Table;
    },
  };
}

/** A server of its own, that takes Pods. */
export async function scene(t: Test): Promise<Scene> {
  const fresh = await freshScene(t);
  const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default' } };
  await fresh.ask('POST /api/v1/namespaces/default/serviceaccounts', account);
  return fresh;
}

let running: Promise<Scene> | undefined;

/** The server of all tables of this process. Who makes something there takes it away again. */
export const sharedScene = (): Promise<Scene> => (running ??= scene(root));

let named = 0;
/** A name that nothing else has. */
export const freshName = (): string => `x${named++}`;

export interface Given {
  readonly metadata?: { readonly name?: string };
}

/** What a test gives, with all that an object needs. */
export function objectOf({ apiVersion, kind }: Place, name: string, given: object) {
  const { metadata } = given as Given;
  return { apiVersion, kind, ...given, metadata: { name, ...metadata } };
}

/** With what a test gives, or a name that nothing else has. */
export const nameOf = (given: object): string => (given as Given).metadata?.name ?? freshName();

export interface Made {
  readonly scene: Scene;
  readonly resource: string;
  /** What the test calls it. */
  readonly name: string;
  readonly given: object;
}

/** Created for good, and gone when the test is done with it. */
export async function withObject(
  t: Test,
  { scene: { ask }, resource, name: title, given }: Made,
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
