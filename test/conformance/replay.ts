/** Replays recorded cases with kube-apiserver on Flagship. See docs/conformance.md. */
import { setTimeout as sleep } from 'node:timers/promises';
import { recorded } from '../data.js';
import { until } from '../storage/until.js';
import type { ApiClient, Reply, Watch } from './call.js';
import { differences } from './differences.js';
import { mask, type Variables, withoutAges } from './mask.js';
import { inParallel } from './parallel.js';

interface Step {
  /** The request, as `METHOD PATH`. */
  readonly do?: string;
  readonly body?: unknown;
  readonly text?: string;
  readonly type?: string;
  readonly accept?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly save?: Readonly<Record<string, string>>;
  readonly only?: readonly string[];
  readonly ignore?: boolean;
  /** The path of a watch that is started; `as` is its name. */
  readonly watch?: string;
  readonly as?: string;
  /** The name of a watch of which `count` events are compared. */
  readonly collect?: string;
  readonly count?: number;
  /** A path that is read until the value at `where` is `is`; without `is`, until it is gone. */
  readonly until?: string;
  readonly where?: string;
  readonly is?: unknown;
  readonly sleep?: number;
  readonly want?: unknown;
}

interface Case {
  readonly name: string;
  readonly noNamespace?: boolean;
  readonly cleanup?: readonly string[];
  readonly steps: readonly Step[];
}

interface Area {
  readonly area: string;
  readonly serial?: boolean;
  readonly cases: readonly Case[];
}

export interface Result {
  readonly name: string;
  /** The differences; none if it passed. */
  readonly problems: readonly string[];
}

interface OpenWatch {
  /** The path of the objects that are watched. */
  readonly path: string;
  readonly events: unknown[];
  readonly watch: Watch;
}

interface Fixture {
  readonly server: ApiClient;
  /** Whether the recorded pauses are made. */
  readonly pauses: boolean;
  readonly variables: Variables;
  readonly watches: Map<string, OpenWatch>;
}

export const areas = [
  'admission', 'apply', 'authz', 'crd', 'defaults', 'discovery',
  'fieldvalidation', 'listwatch', 'metadata', 'patch', 'validation',
] as const; // prettier-ignore

export const area = (name: string): Area => recorded(`corpus/${name}.json`) as Area;

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

const fill = (text: string, variables: Variables): string =>
  text.replace(/\{(\w+)\}/g, (all, name: string) => variables[name] ?? all);

const pick = (value: unknown, path: string): unknown =>
  path.split('.').reduce((at: unknown, key) => (at as Record<string, unknown> | null | undefined)?.[key], value);

const json = { 'content-type': 'application/json' };

async function ask({ server, variables }: Fixture, step: Step): Promise<Reply> {
  const filled = fill(step.do ?? '', variables);
  const space = filled.indexOf(' ');
  const template = step.text ?? (step.body === undefined ? undefined : JSON.stringify(step.body));
  const body = template === undefined ? undefined : fill(template, variables);
  const headers = {
    ...(body !== undefined && { 'content-type': step.type ?? 'application/json' }),
    accept: step.accept ?? 'application/json',
    ...Object.fromEntries(Object.entries(step.headers ?? {}).map(([name, value]) => [name, fill(value, variables)])),
  };
  return server.call(filled.slice(0, space), filled.slice(space + 1), { headers, ...(body !== undefined && { body }) });
}

/** Returns the parts of an answer that are compared. */
function shown(reply: Reply, body: unknown, step: Step, variables: Variables): unknown {
  const { warning, 'content-type': type } = reply.headers;
  const warnings =
    warning &&
    [warning]
      .flat()
      .join(', ')
      .split(/, (?=\d{3} )/);
  const masked = withoutAges(mask(body, variables));
  return {
    status: reply.status,
    type: String(type ?? '').split(';')[0],
    ...(warnings && { warnings: warnings.map(text => mask(text, variables)) }),
    body: step.only ? Object.fromEntries(step.only.map(path => [path, pick(masked, path) ?? null])) : masked,
  };
}

async function exchange(fixture: Fixture, step: Step): Promise<string[]> {
  const reply = await ask(fixture, step);
  const body = parse(reply.text);
  for (const [name, from] of Object.entries(step.save ?? {}))
    fixture.variables[name] = String((pick(body, from) as string | undefined) ?? '');
  if (step.ignore) return [];
  const want = step.want as { readonly body?: unknown } | undefined;
  return differences({ ...want, body: withoutAges(want?.body) }, shown(reply, body, step, fixture.variables));
}

async function listen(fixture: Fixture, step: Step): Promise<string[]> {
  const events: unknown[] = [];
  const headers = { accept: step.accept ?? 'application/json' };
  const path = fill(step.watch ?? '', fixture.variables);
  const watch = await fixture.server.watch(path, headers, line => events.push(parse(line)));
  fixture.watches.set(step.as ?? 'w', { path, events, watch });
  if (watch.type === 'open' || step.want === undefined) return [];
  const { status, text } = watch.reply;
  return differences(step.want, { status, body: mask(parse(text), fixture.variables) });
}

/**
 * Waits until a watch has sent what it has to send. A list is answered when the watch cache has the newest write, and its watchers are told in the
 * same turn of the event loop; so the second answer comes behind every event of earlier writes.
 */
async function settled({ server }: Fixture, path: string): Promise<void> {
  const objects = path.replace(/^(\/api\/v1|\/apis\/[^/]+\/[^/]+)\/watch\//, '$1/').replace(/\?.*$/, '');
  for (let turn = 0; turn < 2; turn++) await server.call('GET', objects);
}

/** Waits for the expected number of events, and until no other one can come. */
async function collect(fixture: Fixture, step: Step): Promise<string[]> {
  const { path = '', events = [] } = fixture.watches.get(step.collect ?? '') ?? {};
  const enough = () => events.length >= (step.count ?? 0);
  await until('the expected events', enough, collectMs).catch(() => undefined); // what is missing is shown as a difference
  await settled(fixture, path);
  const ageless = (event: { object?: unknown }) => ({ ...event, object: withoutAges(event.object) });
  const got = events.map(event => mask(event, fixture.variables) as { object?: unknown });
  return differences((step.want as typeof got).map(ageless), got.map(ageless));
}

async function becomes(fixture: Fixture, step: Step): Promise<string[]> {
  let last: Reply | undefined;
  const holds = async () => {
    last = await fixture.server.call('GET', fill(step.until ?? '', fixture.variables));
    return 'is' in step ? pick(parse(last.text), step.where ?? '') === step.is : last.status === 404;
  };
  try {
    await until(step.until ?? '', holds, becomesMs);
    return [];
  } catch (error) {
    return [`${String(error)}; last ${last?.status} ${last?.text.slice(0, 200)}`];
  }
}

async function take(fixture: Fixture, step: Step): Promise<string[]> {
  if (step.sleep !== undefined) {
    if (fixture.pauses) await sleep(step.sleep);
    return [];
  }
  if (step.watch !== undefined) return listen(fixture, step);
  if (step.collect !== undefined) return collect(fixture, step);
  if (step.until !== undefined) return becomes(fixture, step);
  return exchange(fixture, step);
}

/** Milliseconds within which expected events arrive, and an object becomes as a step expects. */
const collectMs = 5000;
const becomesMs = 15_000;

let serial = 0;

/** Replays one case in a namespace of its own, with or without the recorded pauses. Returns the differences. */
async function replay(server: ApiClient, given: Case, pauses: boolean): Promise<string[]> {
  const id = `${Date.now().toString(36).slice(-5)}${(serial++).toString(36)}`;
  const variables: Variables = { ns: `c-${id}`, id };
  const fixture: Fixture = { server, pauses, variables, watches: new Map() };
  const problems: string[] = [];
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: variables['ns'] } };
  if (!given.noNamespace)
    await server.call('POST', '/api/v1/namespaces', { body: JSON.stringify(namespace), headers: json });
  for (const [index, step] of given.steps.entries()) {
    const label = `${index + 1}. ${step.do ?? step.watch ?? step.collect ?? step.until ?? ''}`;
    const found = await take(fixture, step).catch((error: unknown) => [String(error)]);
    problems.push(...found.map(problem => `${label}: ${problem}`));
  }
  for (const { watch } of fixture.watches.values()) if (watch.type === 'open') watch.close();
  const left = [...(given.noNamespace ? [] : [`/api/v1/namespaces/${variables['ns']}`]), ...(given.cleanup ?? [])];
  for (const path of left) await server.call('DELETE', fill(path, variables));
  return problems;
}

const attempts = 3;

/**
 * Replays a case again if it differs: each was recorded within one second, and times on the wire have whole seconds. The first time
 * without the pauses, in which kube-apiserver got to know of policies, quotas and definitions.
 */
async function replayAgain(server: ApiClient, given: Case): Promise<string[]> {
  let problems: string[] = [];
  for (let attempt = 0; attempt < attempts; attempt++) {
    problems = await replay(server, given, attempt > 0);
    if (problems.length === 0) break;
  }
  return problems;
}

/** Replays the cases of an area whose names are wanted, some at a time, and returns the results in order. */
export async function replayArea(
  server: ApiClient,
  { serial, cases }: Area,
  wanted: (name: string) => boolean = () => true,
): Promise<readonly Result[]> {
  const chosen = cases.filter(({ name }) => wanted(name));
  return inParallel(chosen, serial ? 1 : 4, async given => ({
    name: given.name,
    problems: await replayAgain(server, given),
  }));
}
