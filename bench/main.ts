/** `npm run bench`: measures a server on this machine, and optionally another one in the same run. See docs/performance.md. */
import fs from 'node:fs';
import process from 'node:process';
import { inspect } from 'node:util';
import { describeFlags, type FlagTable, type FlagValues, parseFlags, UsageError } from '../cli/flags/flags.js';
import { churnTable, runChurn } from './churn/run-churn.js';
import { type Line, table } from './print.js';
import { runScenarios } from './run-scenarios.js';
import { percentile } from './sample.js';
import { chosenScenarios, scenarios } from './scenarios/scenarios.js';
import type { StorageKind } from './table/goals.js';
import type { Result } from './table/print-table.js';
import { rows } from './table/rows.js';
import { unavailable, runTable } from './table/run-table.js';
import { openTarget, startTarget, startWithMembers, type Target } from './target.js';
import { fleets, schedulingMemory, schedulingMemoryTable } from './scheduling-memory/scheduling-memory.js';
import { runSearch, searchTable } from './search/run-search.js';
import { runWorks, worksTable } from './works/run-works.js';

/** Returns the names of the scenarios that take minutes, or of those that do not. */
const named = (long: boolean): string =>
  scenarios
    .filter(({ isLong = false }) => isLong === long)
    .map(({ name }) => name)
    .join(', ');

const flags = {
  kubeconfig: {
    type: 'string',
    value: 'FILE',
    help: 'Kubeconfig of the server to measure (default: Flagship is started)',
  },
  context: {
    type: 'string',
    value: 'NAME',
    help: 'Context of the kubeconfig (default: karmada-apiserver or the current one)',
  },
  members: { type: 'list', value: 'NAME,...', help: 'Contexts of the member clusters (default: all other contexts)' },
  pid: { type: 'list', value: 'PID,...', help: 'Processes of the server, if they run on this machine' },
  up: {
    type: 'list',
    value: 'FLAG,...',
    help: 'Flags for the Flagship that is started (default: none, and two members in another process)',
  },
  against: { type: 'string', value: 'FILE', help: 'Kubeconfig of a peer to compare with, in the same run' },
  'against-context': { type: 'string', value: 'NAME', help: 'Context of the peer' },
  'against-pid': { type: 'list', value: 'PID,...', help: 'Processes of the peer' },
  only: {
    type: 'list',
    value: 'NAME,...',
    help: `Scenarios to run: ${named(false)} (default: all of them); ${named(true)} take minutes and run only when they are named`,
  },
  count: {
    type: 'number',
    value: 'N',
    default: 2000,
    help: 'Cheap operations per measurement; expensive ones are a part of it',
  },
  rounds: {
    type: 'number',
    value: 'N',
    default: 1,
    help: 'Number of measurements; with a peer, the servers alternate',
  },
  table: {
    type: 'string',
    value: 'NAME',
    help: '"apiserver": measure the goals of an API server instead of the scenarios',
  },
  storage: { type: 'list', value: 'KIND,...', help: 'With --table: embedded, etcd (default: both)' },
  workers: { type: 'number', value: 'N', help: 'With --table: compare Flagship with --workers N and without' },
  percent: { type: 'number', value: 'N', default: 100, help: 'With --table, --churn: percentage of all counts' },
  churn: {
    type: 'number',
    value: 'N',
    help: 'Measure the memory of a Flagship during N rounds of 150 Deployments, and after, instead of the scenarios',
  },
  works: {
    type: 'number',
    value: 'N',
    help: 'Measure the cost of Works: N templates of 2 KiB on ten members, changes, and a restart, instead of the scenarios',
  },
  search: {
    type: 'number',
    value: 'N',
    help: 'Measure queries over N Pods of three members, and the memory of their mirrors, instead of the scenarios',
  },
  'scheduling-memory': {
    type: 'boolean',
    help: 'Measure what the scheduler keeps in memory for more and more bindings and clusters, instead of the scenarios',
  },
  idle: {
    type: 'number',
    value: 'SECONDS',
    default: 120,
    help: 'With --churn, --works: time of observation of the idle process',
  },
  json: { type: 'string', value: 'FILE', help: 'Also write the results to this file' },
  help: { type: 'boolean', short: 'h', help: 'Show this text' },
} as const satisfies FlagTable;

type Values = FlagValues<typeof flags>;

function pidsOf(texts: readonly string[]): number[] {
  const pids = texts.map(Number);
  if (pids.some(pid => !Number.isInteger(pid) || pid <= 0)) throw new UsageError(`invalid process: ${texts.join()}`);
  return pids;
}

const defaultMembers = 2;

function ours(values: Values): Promise<Target> {
  if (!values.kubeconfig)
    return values.up.length > 0 ? startTarget('flagship', values.up) : startWithMembers('flagship', defaultMembers);
  return openTarget({
    name: 'server',
    kubeconfig: values.kubeconfig,
    ...(values.context && { context: values.context }),
    ...(values.members.length > 0 && { members: values.members }),
    pids: pidsOf(values.pid),
  });
}

function peer(values: Values): Promise<Target> {
  const context = values['against-context'];
  const pids = pidsOf(values['against-pid']);
  return openTarget({ name: 'peer', kubeconfig: values.against, ...(context && { context }), pids });
}

function start({ name, readyMs, idle }: Target): string {
  const ready = readyMs === undefined ? '' : ` ready after ${readyMs.toFixed(0)} ms,`;
  return idle ? `${name}:${ready} idle at ${(idle.rssBytes / 2 ** 20).toFixed(0)} MiB` : '';
}

function kindsOf({ storage }: Values): readonly StorageKind[] {
  const kinds = storage.length > 0 ? storage : ['embedded', 'etcd'];
  return kinds.map(kind => {
    if (kind !== 'embedded' && kind !== 'etcd')
      throw new UsageError(`invalid storage "${kind}": want embedded or etcd`);
    return kind;
  });
}

/** Handles `--table apiserver`: prints a table for each kind of storage. */
async function tables(values: Values): Promise<void> {
  const { table: name, workers, percent, rounds, only } = values;
  if (name !== 'apiserver') throw new UsageError(`there is no table ${name}`);
  for (const part of only)
    if (!rows.some(row => row.name.includes(part))) throw new UsageError(`there is no row ${part}`);
  if (percent <= 0) throw new UsageError('--percent must be positive');
  const results = [];
  for (const storage of values.kubeconfig ? kindsOf(values).slice(0, 1) : kindsOf(values)) {
    const why = unavailable(storage);
    if (why !== undefined) console.error(`not with ${storage}: ${why}`);
    if (why !== undefined) continue;
    const made = await runTable({
      storage,
      workers,
      scale: percent / 100,
      rounds,
      only,
      ...(values.kubeconfig && { server: () => ours(values) }),
      ...(values.against && { peer: () => peer(values) }),
      log: line => console.error(`${storage}: ${line}`),
    });
    console.log(`\n${storage}${percent === 100 ? '' : `, ${percent} % of all counts`}\n\n${made.text}\n`);
    results.push({ storage, results: made.results.map(withoutLatencies) });
  }
  if (values.json) fs.writeFileSync(values.json, JSON.stringify(results, null, 1));
}

/** Returns the result without single latencies, of which there may be half a million. */
function withoutLatencies({ goals, ours: own, others }: Result): unknown {
  const short = ({ server, sample: { latencies, ...sample } }: Line): unknown => ({
    server,
    ...sample,
    p50: percentile(latencies, 0.5),
    p99: percentile(latencies, 0.99),
  });
  return { goals, ours: short(own), others: others.map(short) };
}

const churnCount = 150;

/** Handles `--churn N`: prints a table of the memory over time. */
async function churn({ churn: rounds = 0, percent, idle, up, json }: Values): Promise<void> {
  if (percent <= 0) throw new UsageError('--percent must be positive');
  const points = await runChurn({
    rounds,
    count: Math.max(1, Math.round((churnCount * percent) / 100)),
    idleSeconds: idle,
    flags: up.length > 0 ? up : ['--members=2'],
    log: line => console.error(line),
  });
  console.log(`\n${churnTable(points)}\n`);
  if (json) fs.writeFileSync(json, JSON.stringify(points, null, 1));
}

const worksMembers = 10;

/** Handles `--works N`: prints a table of the cost of Works. */
async function works({ works: templates = 0, idle, up, json }: Values): Promise<void> {
  const steps = await runWorks({
    ...{ templates, members: worksMembers, idleSeconds: idle, flags: up },
    log: line => console.error(line),
  });
  console.log(`\n${worksTable(steps)}\n`);
  if (json) fs.writeFileSync(json, JSON.stringify(steps, null, 1));
}

const searchMembers = 3;
const searchRequests = 200;

/** Handles `--search N`: prints a table of queries. */
async function search({ search: objects = 0, up, json }: Values): Promise<void> {
  const result = await runSearch({
    ...{ objects, members: searchMembers, requests: searchRequests, flags: up },
    log: line => console.error(line),
  });
  console.log(`\n${searchTable(result)}\n`);
  if (json) fs.writeFileSync(json, JSON.stringify(result, null, 1));
}

/** Handles `--scheduling-memory`: prints a table of the memory of the scheduler. */
async function memoryOfScheduling({ json }: Values): Promise<void> {
  const measured = [];
  for (const [bindings, clusters] of fleets) measured.push(await schedulingMemory(bindings, clusters));
  console.log(`\n${schedulingMemoryTable(measured)}\n`);
  if (json) fs.writeFileSync(json, JSON.stringify(measured, null, 1));
}

async function main(args: readonly string[]): Promise<void> {
  const { values, rest } = parseFlags(flags, args);
  if (rest.length > 0) throw new UsageError(`unknown argument: ${rest[0]}`);
  if (values.help) {
    console.log(`Usage: npm run bench -- [flags]\n\n${describeFlags(flags)}`);
    return;
  }
  if (values.table) return tables(values);
  if (values.churn > 0) return churn(values);
  if (values.works > 0) return works(values);
  if (values.search > 0) return search(values);
  if (values['scheduling-memory']) return memoryOfScheduling(values);
  chosenScenarios(values.only);
  const targets: Target[] = [];
  try {
    targets.push(await ours(values));
    if (values.against) targets.push(await peer(values));
    const { lines, failure } = await runScenarios(targets, chosenScenarios(values.only), values);
    const [one = [], other = []] = targets.map(target => lines.get(target) ?? []);
    console.log(`${[...targets.map(start).filter(text => text !== ''), '', table(one, other)].join('\n')}\n`);
    const results = targets.map(target => ({
      server: target.name,
      readyMs: target.readyMs,
      idleRssBytes: target.idle?.rssBytes,
      samples: lines.get(target)?.map(({ sample }) => sample),
    }));
    if (values.json) fs.writeFileSync(values.json, JSON.stringify(results, null, 1));
    if (failure) throw failure;
  } finally {
    for (const target of targets.reverse()) await target.close();
  }
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`bench: ${error instanceof UsageError ? error.message : inspect(error)}\n`);
  process.exitCode = 1;
}
