/** Replays scenarios that were recorded from Karmada: the actions of a user, and the resulting objects. See docs/conformance.md. */
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { KubeObject } from '../../../apimachinery/interface.js';
import type { Cluster } from '../../../api/karmada/types.js';
import { wallSlowness } from '../../stalls/slowness.js';
import { differences } from '../differences.js';
import { at, type Look, observe } from './observe.js';
import type { Answer, ScenarioServers } from './scenario-servers.js';
import { type Variation, withSwappedMembers } from './scenario-variations.js';

interface Step extends Look {
  readonly in?: string;
  readonly create?: KubeObject;
  /** Whether the object may exist already. */
  readonly unless?: boolean;
  readonly refused?: KubeObject;
  readonly patch?: string;
  readonly with?: unknown;
  readonly delete?: string;
  /** Seconds for which the recording waited before the step. */
  readonly after?: number;
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
  readonly namespace?: object;
  readonly steps: readonly Step[];
  readonly after?: readonly { readonly in?: string; readonly delete: string }[];
}

export interface PlayOptions {
  /** Milliseconds within which each expected state must be reached; more on a machine that is slow, or slowed down by other processes. */
  readonly withinMs: number;
  /** Whether the states after a failed one are compared, too. Otherwise, only the actions of the user go on. */
  readonly all?: boolean;
  readonly variation?: Variation | undefined;
}

interface Fixture {
  readonly servers: ScenarioServers;
  readonly limit: number;
  readonly variation: Variation | undefined;
  /** The kinds that the scenario defines, as `KIND.GROUP`. */
  readonly customKinds: ReadonlySet<string>;
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
  const began = performance.now();
  for (;;) {
    const complaints = await look();
    const took = performance.now() - began;
    if (complaints.length === 0 || (took >= limit && took >= limit * wallSlowness())) return complaints;
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

async function compare({ servers, variation }: Fixture, step: Step): Promise<string[]> {
  const got = JSON.parse(JSON.stringify(await observe(servers, step.in ?? 'karmada', step))) as unknown;
  const ignored = [...(step.ignore ?? []), ...(variation?.ignore ?? [])];
  if (step.events === undefined) return differences(without(step.want, ignored), without(got, ignored));
  const actual = Array.isArray(got) ? got : [];
  return (step.want as string[]).filter(event => !actual.includes(event)).map(event => `no event ${event}`);
}

function look(fixture: Fixture, step: Step): Promise<string[]> {
  return settle(fixture.limit, 200, async () => {
    const complaints = await compare(fixture, step);
    if (complaints.length === 0 || !fixture.variation?.swapsMembers) return complaints;
    const swapped = await compare(fixture, withSwappedMembers(step));
    return swapped.length === 0 ? [] : complaints;
  });
}

const isAction = ({ create, patch, delete: path, deleteItems }: Step): boolean =>
  [create, patch, path, deleteItems].some(value => value !== undefined);

/**
 * Waits where the recording waited before an object of a new kind was created: until all clusters report the kind. A placement over clusters of which
 * only some have reported it would leave out the others, in Karmada, too.
 */
function reported({ servers, limit }: Fixture, { apiVersion, kind }: KubeObject): Promise<string[]> {
  return settle(limit, 50, async () => {
    const { value } = await servers.call('karmada', 'GET', '/apis/cluster.karmada.io/v1alpha1/clusters');
    const { items = [] } = value as { readonly items?: readonly Cluster[] };
    const isReported = ({ status }: Cluster): boolean =>
      status?.apiEnablements?.some(
        ({ groupVersion, resources }) => groupVersion === apiVersion && resources?.some(each => each.kind === kind),
      ) ?? false;
    return items.every(isReported) ? [] : [`clusters do not report ${apiVersion} ${kind}`];
  });
}

async function take(fixture: Fixture, step: Step): Promise<string[]> {
  const { apiVersion = '', kind = '' } = step.create ?? {};
  if (step.after !== undefined && step.create && fixture.customKinds.has(`${kind}.${apiVersion.split('/')[0]}`)) {
    const complaints = await reported(fixture, step.create);
    if (complaints.length > 0) return complaints;
  }
  return act(fixture, step);
}

function act(fixture: Fixture, step: Step): Promise<string[]> {
  const where = step.in ?? 'karmada';
  if (step.create) return create(fixture, where, step, step.create);
  if (step.refused) return refuse(fixture, where, step, step.refused);
  if (step.patch !== undefined || step.delete !== undefined) return change(fixture, where, step);
  if (step.deleteItems !== undefined) return deleteItems(fixture, where, step.deleteItems, step.containing ?? '');
  if (step.wait !== undefined) return wait(fixture, where, step, step.wait);
  if (step.absent !== undefined) return absent(fixture, where, step.absent);
  return look(fixture, step);
}

/** Returns the kinds that the steps of a scenario define. */
function customKindsOf({ steps }: Scenario): ReadonlySet<string> {
  const definitions = steps.flatMap(({ create }) =>
    create?.kind === 'CustomResourceDefinition' ? [create['spec']] : [],
  );
  return new Set(
    (definitions as { readonly group: string; readonly names: { readonly kind: string } }[]).map(
      ({ group, names }) => `${names.kind}.${group}`,
    ),
  );
}

const afterFailureMs = 1000;

const fill = <T>(value: T, namespace: string): T =>
  JSON.parse(JSON.stringify(value).replaceAll('{ns}', namespace)) as T;

/** Plays a scenario in a namespace of its own, which is deleted at the end. Returns the differences. */
export async function play(
  servers: ScenarioServers,
  scenario: Scenario,
  { withinMs, all = false, variation }: PlayOptions,
): Promise<string[]> {
  const name = `s-${scenario.name}`;
  const limit = withinMs + (variation?.timerSeconds ?? 0) * 1000;
  const metadata = { name, ...fill(scenario.namespace ?? {}, name) };
  await servers.call('karmada', 'POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata });
  await sleep(200);
  const problems: string[] = [];
  const customKinds = customKindsOf(scenario);
  for (const [index, raw] of scenario.steps.entries()) {
    const isFine = problems.length === 0;
    if (!isFine && !all && !isAction(raw)) continue;
    // After a failed step, the steps that depend on it get less time.
    const fixture = { servers, variation, customKinds, limit: isFine ? limit : Math.min(limit, afterFailureMs) };
    const found = await take(fixture, fill(raw, name)).catch((error: unknown) => [String(error)]);
    const label = `step ${index} ${JSON.stringify(raw).slice(0, 110)}`;
    problems.push(...found.map(problem => `${label}: ${problem}`));
  }
  for (const step of fill(scenario.after ?? [], name)) await servers.call(step.in ?? 'karmada', 'DELETE', step.delete);
  await servers.call('karmada', 'DELETE', `/api/v1/namespaces/${name}`);
  return problems;
}
