/** `npm run bench -- --works N`: measures what Works cost: bytes and CPU time of each, at creation, at a change, at rest, and after a restart. */
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { readMappings } from '../churn/mappings.js';
import { type MembersProcess, startMembers } from '../members/start-members.js';
import { configMapOf2KiB, configMapPolicy, configMaps, policies } from '../objects.js';
import { markdown, number } from '../print.js';
import { repeat } from '../repeat.js';
import { startTarget, type Target } from '../target.js';
import { type Usage, usageOf } from '../usage.js';
import { watchApplied } from './applied.js';
import { watchArrivals } from './arrivals.js';

interface WorksOptions {
  /** Number of templates, each with a Work for every member. */
  readonly templates: number;
  readonly members: number;
  /** Seconds for which the idle process is observed. */
  readonly idleSeconds: number;
  /** Consecutive quiet seconds after which a step is over (10): postponed reports and Events wait for less. */
  readonly quietSeconds?: number;
  /** Flags of `flagship up`. */
  readonly flags: readonly string[];
  /** The command that runs Node.js for the control plane. */
  readonly command?: readonly [string, ...string[]];
  readonly log: (line: string) => void;
}

/** What one step of the experiment has cost. CPU time is that of all that follows from the step, until the process is quiet again. */
interface WorksStep {
  readonly what: string;
  /** Number of Works that the step writes or, without writes, that exist. */
  readonly works: number;
  /** Seconds until the step is complete for a user; CPU time may follow. */
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly memberCpuSeconds: number;
  /** Resident memory of the control plane at the end, and its peak since it started. */
  readonly residentBytes: number;
  readonly peakBytes: number;
}

const namespace = 'works';
const width = 16;
const timeoutMs = 3_600_000;
/** CPU seconds in a second below which a process is quiet. */
const quietCpuSeconds = 0.05;
const settleSeconds = 900;

const pause = (ms: number): Promise<void> => new Promise(resolve => setTimeout(resolve, ms));

/** A control plane, and members in another process that it has joined. */
class Experiment {
  readonly steps: WorksStep[] = [];
  readonly #options: WorksOptions;
  readonly #members: MembersProcess;
  readonly #directory: string;
  #target: Target | undefined;

  constructor(options: WorksOptions, members: MembersProcess, directory: string) {
    this.#options = options;
    this.#members = members;
    this.#directory = directory;
  }

  /** Runs all steps. Called once. */
  async run(): Promise<void> {
    const { templates, members } = this.#options;
    await this.#start();
    await this.#members.join(this.#running.endpoint);
    const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } };
    await this.#running.send('POST', '/api/v1/namespaces', JSON.stringify(body));
    await this.#running.send('POST', policies(namespace), configMapPolicy(this.#members.names));
    await this.#settle();
    await this.#step('create', templates * members, () => this.#create());
    await this.#idle('idle');
    const [few, many] = [Math.ceil(templates / 100), Math.ceil(templates / 10)];
    await this.#step(`change ${few}`, few * members, () => this.#change(few, 1));
    await this.#step(`change ${many}`, many * members, () => this.#change(many, 2));
    await this.close();
    await this.#step('restart', templates * members, () => this.#start(), 0);
    await this.#idle('idle after restart');
  }

  /** Stops the control plane. Its data are kept. */
  async close(): Promise<void> {
    const target = this.#target;
    this.#target = undefined;
    await target?.close();
  }

  get #running(): Target {
    if (!this.#target) throw new Error('the control plane was not started');
    return this.#target;
  }

  async #start(): Promise<number> {
    const { flags, command } = this.#options;
    const options = { idleSeconds: 0, keptDirectory: this.#directory, ...(command && { command }) };
    this.#target = await startTarget('flagship', flags, options);
    return (this.#target.readyMs ?? NaN) / 1000;
  }

  /** Creates all templates. Resolves when every binding is fully applied, with the seconds that it took. */
  async #create(): Promise<number> {
    const { templates } = this.#options;
    const began = performance.now();
    const { applied } = await watchApplied(this.#running, namespace, templates);
    await repeat({ count: templates, width }, async index => {
      await this.#running.send('POST', configMaps(namespace), configMapOf2KiB(index));
    });
    await applied;
    return (performance.now() - began) / 1000;
  }

  /** Changes the first templates. Resolves when the changes are in all members, with the seconds that it took. */
  async #change(count: number, round: number): Promise<number> {
    const signal = AbortSignal.timeout(timeoutMs);
    const { arrived } = await watchArrivals(this.#members.endpoints, { namespace, round, count }, signal);
    const began = performance.now();
    const patch = JSON.stringify({ data: { round: String(round) } });
    await repeat({ count, width }, async index => {
      const at = `${configMaps(namespace)}/c-${index}`;
      await this.#running.send('PATCH', at, patch, 'application/merge-patch+json');
    });
    await arrived;
    return (performance.now() - began) / 1000;
  }

  /** Runs a step and waits until the control plane is quiet. `cpuBefore`: its CPU seconds before the step. */
  async #step(
    what: string,
    works: number,
    run: () => Promise<number>,
    cpuBefore = this.#usage().cpuSeconds,
  ): Promise<void> {
    const membersBefore = this.#memberUsage().cpuSeconds;
    const seconds = await run();
    await this.#settle();
    const cpuSeconds = this.#usage().cpuSeconds - cpuBefore;
    const memberCpuSeconds = this.#memberUsage().cpuSeconds - membersBefore;
    this.#note({ what, works, seconds, cpuSeconds, memberCpuSeconds });
  }

  /** Observes the control plane while nothing changes. */
  async #idle(what: string): Promise<void> {
    const { idleSeconds: seconds, templates, members } = this.#options;
    const [control, remote] = [this.#usage(), this.#memberUsage()];
    await pause(seconds * 1000);
    const cpuSeconds = this.#usage().cpuSeconds - control.cpuSeconds;
    const memberCpuSeconds = this.#memberUsage().cpuSeconds - remote.cpuSeconds;
    this.#note({ what, works: templates * members, seconds, cpuSeconds, memberCpuSeconds });
  }

  #note(step: Omit<WorksStep, 'residentBytes' | 'peakBytes'>): void {
    const [pid = 0] = this.#running.pids;
    const { residentBytes, peakBytes } = readMappings(pid);
    const noted = { ...step, residentBytes, peakBytes };
    this.steps.push(noted);
    this.#options.log(cells(noted).join('  '));
  }

  /** Waits until the control plane has been quiet for some seconds. Throws if it does not become quiet. */
  async #settle(): Promise<void> {
    const { quietSeconds = 10 } = this.#options;
    let last = this.#usage();
    let quiet = 0;
    for (let second = 0; second < settleSeconds; second++) {
      await pause(1000);
      const now = this.#usage();
      quiet = now.cpuSeconds - last.cpuSeconds < quietCpuSeconds ? quiet + 1 : 0;
      last = now;
      if (quiet === quietSeconds) return;
    }
    throw new Error(`the control plane is not quiet after ${settleSeconds} s`);
  }

  #usage(): Usage {
    return present(this.#running.usage());
  }

  #memberUsage(): Usage {
    return present(usageOf([this.#members.pid]));
  }
}

function present(usage: Usage | undefined): Usage {
  if (!usage) throw new Error('the process is not on this machine');
  return usage;
}

const titles = [
  'what',
  'Works',
  's',
  'CPU s',
  'CPU ms per Work',
  'members CPU ms per Work',
  'cores',
  'MiB',
  'peak MiB',
];

function cells({ what, works, seconds, cpuSeconds, memberCpuSeconds, residentBytes, peakBytes }: WorksStep): string[] {
  const isIdle = what.startsWith('idle');
  const perWork = (cpu: number): string => (isIdle ? '-' : number((cpu / works) * 1000));
  return [
    ...[what, String(works), number(seconds), number(cpuSeconds)],
    ...[perWork(cpuSeconds), perWork(memberCpuSeconds), isIdle ? (cpuSeconds / seconds).toFixed(4) : '-'],
    ...[residentBytes, peakBytes].map(bytes => (bytes / 2 ** 20).toFixed(0)),
  ];
}

/** Returns the steps as a Markdown table. */
export const worksTable = (steps: readonly WorksStep[]): string => markdown([titles, ...steps.map(cells)], 1);

/** Propagates ConfigMaps of 2 KiB to members in another process, changes some, and restarts the control plane. */
export async function runWorks(options: WorksOptions): Promise<readonly WorksStep[]> {
  const directory = await fs.mkdtemp(path.join(os.tmpdir(), 'flagship-works-'));
  const members = await startMembers(options.members);
  const experiment = new Experiment(options, members, directory);
  try {
    await experiment.run();
    return experiment.steps;
  } finally {
    await experiment.close();
    await members.stop();
    await fs.rm(directory, { recursive: true, force: true });
  }
}
