/** Replays scenarios that were recorded from Karmada: the actions of a user, and the resulting objects. See docs/conformance.md. */
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { KubeObject } from '../../apimachinery/interface.js';
import { recorded } from '../data.js';
import { differences } from './differences.js';
import { at, type Look, observe } from './observe.js';
import { inParallel } from './parallel.js';
import type { Result } from './replay.js';
import type { Answer, ScenarioServers } from './scenario-servers.js';

interface Step extends Look {
  readonly in?: string;
  readonly create?: KubeObject;
  /** Whether the object may exist already. */
  readonly unless?: boolean;
  readonly refused?: KubeObject;
  readonly patch?: string;
  readonly with?: unknown;
  readonly delete?: string;
  readonly deleteItems?: string;
  readonly absent?: string;
  readonly wait?: string;
  readonly where?: string;
  readonly is?: unknown;
  readonly want?: unknown;
  /** Paths whose values differ between runs of Karmada itself. */
  readonly ignore?: readonly (readonly string[])[];
}

export interface Scenario {
  readonly name: string;
  /** Whether the scenario changes shared objects, and must run alone. */
  readonly alone?: boolean;
  /** Seconds that the scenario takes at least. */
  readonly slow?: number;
  readonly namespace?: object;
  readonly steps: readonly Step[];
  readonly after?: readonly { readonly in?: string; readonly delete: string }[];
}

export const scenarios = (file: string): readonly Scenario[] =>
  (recorded(`scenarios/${file}.json`) as { scenarios: Scenario[] }).scenarios;

interface Fixture {
  readonly servers: ScenarioServers;
  /** Milliseconds within which an expected state must be reached. */
  readonly limit: number;
}

interface Attempts {
  readonly times: number;
  readonly again: (answer: Answer) => boolean;
}

/** Repeats a request while `again` holds for its answer. */
async function attempt(ask: () => Promise<Answer>, { times, again }: Attempts): Promise<Answer> {
  for (let turn = 1; ; turn++) {
    const answer = await ask();
    if (turn === times || !again(answer)) return answer;
    await sleep(250);
  }
}

const messageOf = ({ value }: Answer): string =>
  String((value as { message?: unknown } | null | undefined)?.message ?? '');

interface ResourceList {
  readonly resources: readonly { readonly name: string; readonly kind: string }[];
}

async function post(servers: ScenarioServers, where: string, object: KubeObject): Promise<Answer> {
  const { apiVersion = '', kind, metadata } = object;
  const root = `${apiVersion.includes('/') ? '/apis/' : '/api/'}${apiVersion}`;
  const discovered = await servers.call(where, 'GET', root);
  if (discovered.code !== 200) return discovered;
  const { resources } = discovered.value as ResourceList;
  const resource = resources.find(each => each.kind === kind && !each.name.includes('/'));
  if (!resource) return { code: 404, value: { message: `no kind ${kind} in ${apiVersion}` } };
  const place = metadata.namespace ? `/namespaces/${metadata.namespace}` : '';
  return servers.call(where, 'POST', `${root}${place}/${resource.name}`, object);
}

async function create({ servers }: Fixture, where: string, step: Step, object: KubeObject): Promise<string[]> {
  const onItsWay = ({ code }: Answer): boolean => code === 404 || (code === 409 && !step.unless) || code === 429;
  const answer = await attempt(() => post(servers, where, object), { times: 40, again: onItsWay });
  if (answer.code === 201 || (step.unless && answer.code === 409)) return [];
  return [`${answer.code} ${messageOf(answer)}`];
}

async function refuse({ servers }: Fixture, where: string, step: Step, object: KubeObject): Promise<string[]> {
  const answer = await post(servers, where, object);
  const { message } = answer.value as { message?: string };
  return differences(step.want, { code: answer.code, ...(message !== undefined && { message }) });
}

async function change({ servers }: Fixture, where: string, step: Step): Promise<string[]> {
  const merge = { 'content-type': 'application/merge-patch+json' };
  const ask = () =>
    step.patch === undefined
      ? servers.call(where, 'DELETE', step.delete ?? '')
      : servers.call(where, 'PATCH', step.patch, step.with, merge);
  const answer = await attempt(ask, { times: 20, again: ({ code }) => code === 404 || code === 409 });
  return answer.code < 300 ? [] : [`${answer.code} ${messageOf(answer)}`];
}

async function deleteItems({ servers }: Fixture, where: string, path: string, containing: string): Promise<string[]> {
  const { value } = await servers.call(where, 'GET', path);
  for (const item of (value as { items: KubeObject[] }).items)
    if (JSON.stringify(item).includes(containing)) await servers.call(where, 'DELETE', `${path}/${item.metadata.name}`);
  return [];
}

/** Calls `look` until it finds no problems or the time is over; returns the last problems. */
async function settle(limit: number, every: number, look: () => Promise<string[]>): Promise<string[]> {
  const end = performance.now() + limit;
  for (;;) {
    const complaints = await look();
    if (complaints.length === 0 || performance.now() >= end) return complaints;
    await sleep(every);
  }
}

function wait({ servers, limit }: Fixture, where: string, step: Step, path: string): Promise<string[]> {
  return settle(limit, 100, async () => {
    const { code, value } = await servers.call(where, 'GET', path);
    const got = code === 200 ? (step.where === undefined ? true : at(value, step.where)) : undefined;
    const so = step.is === undefined ? got !== undefined : isDeepStrictEqual(got, step.is);
    return so ? [] : [`waited in vain, last ${JSON.stringify(got)}`];
  });
}

/** Checks that an object is gone within the time, and still gone two seconds later. */
async function absent({ servers, limit }: Fixture, where: string, path: string): Promise<string[]> {
  const look = async () => ((await servers.call(where, 'GET', path)).code === 404 ? [] : ['is there']);
  const complaints = await settle(limit, 200, look);
  if (complaints.length > 0) return complaints;
  await sleep(2000);
  return look();
}

const follow = (value: unknown, path: readonly string[]): unknown =>
  path.reduce((step: unknown, key) => (step as Record<string, unknown> | null | undefined)?.[key], value);

function without(value: unknown, ignored: Step['ignore'] = []): unknown {
  const copy = structuredClone(value);
  for (const path of ignored) {
    const parent = follow(copy, path.slice(0, -1));
    if (typeof parent === 'object' && parent !== null) delete (parent as Record<string, unknown>)[path.at(-1) ?? ''];
  }
  return copy;
}

function look({ servers, limit }: Fixture, where: string, step: Step): Promise<string[]> {
  return settle(limit, 200, async () => {
    const got = JSON.parse(JSON.stringify(await observe(servers, where, step))) as unknown;
    if (step.events === undefined) return differences(without(step.want, step.ignore), without(got, step.ignore));
    const actual = Array.isArray(got) ? got : [];
    return (step.want as string[]).filter(event => !actual.includes(event)).map(event => `no event ${event}`);
  });
}

function take(fixture: Fixture, step: Step): Promise<string[]> {
  const where = step.in ?? 'karmada';
  if (step.create) return create(fixture, where, step, step.create);
  if (step.refused) return refuse(fixture, where, step, step.refused);
  if (step.patch !== undefined || step.delete !== undefined) return change(fixture, where, step);
  if (step.deleteItems !== undefined) return deleteItems(fixture, where, step.deleteItems, step.containing ?? '');
  if (step.wait !== undefined) return wait(fixture, where, step, step.wait);
  if (step.absent !== undefined) return absent(fixture, where, step.absent);
  return look(fixture, where, step);
}

const afterFailureMs = 1000;

const fill = <T>(value: T, namespace: string): T =>
  JSON.parse(JSON.stringify(value).replaceAll('{ns}', namespace)) as T;

/** Plays a scenario in a namespace of its own, which is deleted at the end. Returns the differences. */
export async function play(servers: ScenarioServers, scenario: Scenario, within: number): Promise<string[]> {
  const name = `s-${scenario.name}`;
  const limit = Math.max(within, (scenario.slow ?? 0) * 1000);
  const metadata = { name, ...fill(scenario.namespace ?? {}, name) };
  await servers.call('karmada', 'POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata });
  await sleep(200);
  const problems: string[] = [];
  for (const [index, raw] of scenario.steps.entries()) {
    // After a failed step, the steps that depend on it get less time.
    const fixture = { servers, limit: problems.length === 0 ? limit : Math.min(limit, afterFailureMs) };
    const found = await take(fixture, fill(raw, name)).catch((error: unknown) => [String(error)]);
    const label = `step ${index} ${JSON.stringify(raw).slice(0, 110)}`;
    problems.push(...found.map(problem => `${label}: ${problem}`));
  }
  for (const step of fill(scenario.after ?? [], name)) await servers.call(step.in ?? 'karmada', 'DELETE', step.delete);
  await servers.call('karmada', 'DELETE', `/api/v1/namespaces/${name}`);
  return problems;
}

/** Plays all scenarios and returns the results in order. Those that must run alone run after the others. */
export async function playAll(
  servers: ScenarioServers,
  all: readonly Scenario[],
  within: number,
  done: (result: Result) => void = () => undefined,
): Promise<readonly Result[]> {
  const run = async (scenario: Scenario): Promise<Result> => {
    const result = { name: scenario.name, problems: await play(servers, scenario, within) };
    done(result);
    return result;
  };
  const together = await inParallel(
    all.filter(({ alone }) => !alone),
    4,
    run,
  );
  const apart = await inParallel(
    all.filter(({ alone }) => alone),
    1,
    run,
  );
  const results = new Map([...together, ...apart].map(result => [result.name, result]));
  return all.flatMap(({ name }) => results.get(name) ?? []);
}
