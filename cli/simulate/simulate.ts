/** `flagship simulate`: decides where resources would be, by the real functions, and writes nothing. */
import { once } from 'node:events';
import process from 'node:process';
import { interpreterTiers } from '../parts/interpreter-tiers.js';
import { StatusError } from '../../apimachinery/errors/status.js';
import { customizedInterpreter } from '../../controllers/interpreter/customized/customized.js';
import { mergeRules } from '../../controllers/interpreter/customized/rules.js';
import { ScriptRunner } from '../../controllers/interpreter/lua/runner.js';
import { tieredInterpreter } from '../../controllers/interpreter/tiers.js';
import { parseFeatureGates } from '../../kinds/karmada/feature-gates.js';
import { describeFlags, didYouMean, type FlagTable, type FlagValues, parseFlags, UsageError } from '../flags/flags.js';
import { checkAnswers, controlPlaneFlags, openControlPlane } from '../karmadactl/connect.js';
import { decisionOptions } from '../parts/decision-options.js';
import { failoverFlags } from '../flags/karmada/failover.js';
import { schedulerFlags } from '../flags/karmada/scheduler.js';
import { explanationText } from '../../scheduler/explain/explanation-text.js';
import { disabledBy } from '../../scheduler/plugins/plugins.js';
import { loadObjects, withoutLists } from '../read-objects.js';
import { MemberAnswers } from './member-answers.js';
import { type SimulatedOutcome, Simulation } from './outcome.js';
import { controlPlaneObjects, fileObjects, type SimulationInput, withFileObjects } from './simulation-input.js';
import { OutcomeTable } from './outcomes-text.js';
import { parseTaint, withTaints } from './taints.js';

const formats = ['text', 'wide', 'json'];

const flags = {
  ...controlPlaneFlags,
  filename: {
    type: 'list',
    short: 'f',
    value: 'FILE',
    help: 'File, folder or URL with policies and resources in YAML or JSON; - is the standard input',
  },
  recursive: { type: 'boolean', short: 'R', help: 'Read the folders in a folder of --filename, too' },
  clusters: {
    type: 'string',
    value: 'FILE',
    default: '',
    help: 'File with the clusters (kubectl get clusters -o yaml); then no control plane is asked',
  },
  taint: {
    type: 'list',
    value: 'CLUSTER=KEY=VALUE:EFFECT',
    help: 'Taint that a cluster gets; with a - at the end: loses',
  },
  namespace: {
    type: 'string',
    short: 'n',
    value: 'NAME',
    default: 'default',
    help: 'Namespace of resources that name none',
  },
  plugins: schedulerFlags.plugins,
  'enable-empty-workload-propagation': schedulerFlags['enable-empty-workload-propagation'],
  'enable-no-execute-taint-eviction': failoverFlags['enable-no-execute-taint-eviction'],
  'feature-gates': { type: 'string', value: 'NAME=BOOL,...', default: '', help: 'Feature gates of the control plane' },
  output: {
    type: 'string',
    short: 'o',
    value: 'FORMAT',
    default: 'text',
    help: `One of ${formats.join(', ')}; wide: with an explanation of each decision`,
  },
  help: { type: 'boolean', short: 'h', help: 'Show this text' },
} as const satisfies FlagTable;

type Values = FlagValues<typeof flags>;

const help = (): string => `Tells where resources would be, what would move and what would not fit. Nothing is written.

The resources are those of --filename; without any, all that the control plane has bindings for. Policies and clusters of --filename take the place of
those of the control plane with the same names. Each resource is decided by itself: it does not take room from the others. A control plane that estimates
by the nodes of members is asked for these estimates.

Usage:
  flagship simulate [flags]

Examples:
  flagship simulate -f policy.yaml -f deployment.yaml
  flagship simulate -f policy.yaml -f deployment.yaml --clusters clusters.yaml
  flagship simulate --taint member1=maintenance:NoExecute --feature-gates Failover=true --enable-no-execute-taint-eviction

Flags:
${describeFlags(flags)}
`;

type ControlPlane = ReturnType<typeof openControlPlane>;

/** Reads a control plane. Rejects with a UsageError when it does not answer, or refuses a request. */
async function controlPlaneInput(control: ControlPlane): Promise<SimulationInput> {
  await checkAnswers(control, 'the control plane');
  try {
    return await controlPlaneObjects(control.client);
  } catch (error) {
    throw error instanceof StatusError ? new UsageError(error.message) : error;
  }
}

/** `control`: absent if the clusters are those of a file. */
async function inputOf(
  values: Values,
  files: SimulationInput,
  control: ControlPlane | undefined,
): Promise<SimulationInput> {
  if (control) {
    return withFileObjects(await controlPlaneInput(control), files);
  }
  const loaded = withoutLists(await loadObjects([values.clusters], false));
  return withFileObjects(fileObjects(loaded, values.namespace, parseFeatureGates(values['feature-gates'])), files);
}

const note = (text: string): void => void process.stderr.write(`${text}\n`);

/** Makes one decision after the other. It may be called again for the same ones: nothing changes. */
type Outcomes = () => AsyncGenerator<SimulatedOutcome, void>;

/** Calls `use` with the outcomes, while the scripts of customizations can be run. */
async function withOutcomes(values: Values, use: (outcomes: Outcomes) => Promise<void>): Promise<void> {
  const gates = parseFeatureGates(values['feature-gates']);
  const changes = values.taint.map(parseTaint);
  const evicts = gates.Failover && values['enable-no-execute-taint-eviction'];
  const loaded = withoutLists(await loadObjects(values.filename, values.recursive));
  const files = fileObjects(loaded, values.namespace, gates);
  const control = values.clusters === '' ? openControlPlane(values) : undefined;
  const runner = new ScriptRunner();
  try {
    const input = await inputOf(values, files, control);
    const rules = mergeRules(input.customizations);
    const answers =
      control && new MemberAnswers(control.client, text => note(`members are not asked for estimates: ${text}`));
    const customized = customizedInterpreter(runner, () => rules);
    const simulation = new Simulation({
      input: { ...input, clusters: withTaints(input.clusters, changes) },
      // Interpreter webhooks are not called: they are other programs, which might act.
      interpreter: interpreterTiers(customized, () => rules, tieredInterpreter([])),
      gates,
      evicts,
      options: decisionOptions(gates, {
        enableEmptyWorkloadPropagation: values['enable-empty-workload-propagation'],
        disabledPlugins: disabledBy(values.plugins),
      }),
      answer: answers?.answer,
    });
    if (!evicts && changes.some(({ taint, removes }) => taint.effect === 'NoExecute' && !removes))
      note(
        'NoExecute taints evict nothing without --feature-gates=Failover=true and --enable-no-execute-taint-eviction',
      );
    await use(async function* () {
      for (const template of files.templates) yield await simulation.ofTemplate(template);
      if (files.templates.length === 0) for (const binding of input.bindings) yield await simulation.ofBinding(binding);
    });
  } finally {
    await runner.close();
    await control?.client.close();
  }
}

/** Writes to the standard output, and waits for a reader that is slower. */
async function print(text: string): Promise<void> {
  if (!process.stdout.write(text)) await once(process.stdout, 'drain');
}

/** An explanation of many clusters is large, so one is held at a time. */
async function printJson(outcomes: Outcomes): Promise<void> {
  let separator = '\n';
  await print('{\n  "kind": "Simulation",\n  "items": [');
  for await (const outcome of outcomes()) {
    await print(`${separator}${JSON.stringify(outcome, undefined, 2).replace(/^/gm, '    ')}`);
    separator = ',\n';
  }
  await print(separator === '\n' ? ']\n}\n' : '\n  ]\n}\n');
}

async function printText(outcomes: Outcomes, isWide: boolean): Promise<void> {
  const table = new OutcomeTable();
  for await (const outcome of outcomes()) table.add(outcome);
  await print(table.text);
  if (!isWide) return;
  for await (const outcome of outcomes())
    if ('explanation' in outcome) await print(`\n${explanationText(outcome.explanation)}`);
}

/** Returns the exit status. */
export async function simulate(args: readonly string[]): Promise<number> {
  const { values, rest } = parseFlags(flags, args);
  if (values.help) {
    process.stdout.write(help());
    return 0;
  }
  const [unknown] = rest;
  if (unknown !== undefined) throw new UsageError(`unknown argument: ${unknown}`);
  const { output } = values;
  if (!formats.includes(output))
    throw new UsageError(
      `unable to match a printer for "${output}": want one of ${formats.join(', ')}${didYouMean(output, formats)}`,
    );
  await withOutcomes(values, outcomes =>
    output === 'json' ? printJson(outcomes) : printText(outcomes, output === 'wide'),
  );
  return 0;
}
