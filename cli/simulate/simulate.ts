/** `flagship simulate`: decides where resources would be, by the real functions, and writes nothing. */
import process from 'node:process';
import { interpreterTiers } from '../parts/interpreter-tiers.js';
import { customizedInterpreter } from '../../controllers/interpreter/customized/customized.js';
import { mergeRules } from '../../controllers/interpreter/customized/rules.js';
import { ScriptRunner } from '../../controllers/interpreter/lua/runner.js';
import { tieredInterpreter } from '../../controllers/interpreter/tiers.js';
import { parseFeatureGates } from '../../kinds/karmada/feature-gates.js';
import { describeFlags, didYouMean, type FlagTable, type FlagValues, parseFlags, UsageError } from '../flags.js';
import { checkAnswers, controlPlaneFlags, openControlPlane } from '../karmadactl/connect.js';
import { decisionOptions } from '../parts/decision-options.js';
import { schedulerFlags } from '../scheduler-flags.js';
import { disabledBy } from '../../scheduler/plugins/plugins.js';
import { loadObjects, withoutLists } from '../read-objects.js';
import { type SimulatedOutcome, Simulation } from './outcome.js';
import { given, live, overlaid, type Scene } from './scene.js';
import { outcomesText } from './outcomes-text.js';
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
those of the control plane with the same names. Each resource is decided by itself: it does not take room from the others.

Usage:
  flagship simulate [flags]

Examples:
  flagship simulate -f policy.yaml -f deployment.yaml
  flagship simulate -f policy.yaml -f deployment.yaml --clusters clusters.yaml
  flagship simulate --taint member1=maintenance:NoExecute

Flags:
${describeFlags(flags)}
`;

async function sceneOf(values: Values, ofFiles: Scene, namespace: string): Promise<Scene> {
  if (values.clusters !== '') {
    const loaded = withoutLists(await loadObjects([values.clusters], false));
    const saved = given(loaded, namespace, parseFeatureGates(values['feature-gates']));
    return overlaid(saved, ofFiles);
  }
  const control = openControlPlane(values);
  try {
    await checkAnswers(control, 'the control plane');
    return overlaid(await live(control.client), ofFiles);
  } finally {
    await control.client.close();
  }
}

async function outcomes(values: Values): Promise<SimulatedOutcome[]> {
  const gates = parseFeatureGates(values['feature-gates']);
  const changes = values.taint.map(parseTaint);
  const loaded = withoutLists(await loadObjects(values.filename, values.recursive));
  const files = given(loaded, values.namespace, gates);
  const scene = await sceneOf(values, files, values.namespace);
  const rules = mergeRules(scene.customizations);
  const runner = new ScriptRunner();
  try {
    const customized = customizedInterpreter(runner, () => rules);
    const simulation = new Simulation({
      scene: { ...scene, clusters: withTaints(scene.clusters, changes) },
      // Interpreter webhooks are not called: they are other programs, which might act.
      interpreter: interpreterTiers(customized, () => rules, tieredInterpreter([])),
      gates,
      options: decisionOptions(gates, {
        enableEmptyWorkloadPropagation: values['enable-empty-workload-propagation'],
        disabledPlugins: disabledBy(values.plugins),
      }),
    });
    const results: SimulatedOutcome[] = [];
    for (const template of files.templates) results.push(await simulation.ofTemplate(template));
    if (files.templates.length === 0)
      for (const binding of scene.bindings) results.push(await simulation.ofBinding(binding));
    return results;
  } finally {
    await runner.close();
  }
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
  const results = await outcomes(values);
  if (output === 'json')
    process.stdout.write(`${JSON.stringify({ kind: 'Simulation', items: results }, undefined, 2)}\n`);
  else process.stdout.write(outcomesText(results, output === 'wide'));
  return 0;
}
