import process from 'node:process';
import { errorText } from '../../../apimachinery/errors/error-text.js';
import { customizedInterpreter } from '../../../controllers/interpreter/customized/customized.js';
import { mergeRules } from '../../../controllers/interpreter/customized/rules.js';
import { ScriptRunner } from '../../../controllers/interpreter/lua/runner.js';
import { writeYaml } from '../../../lib/yaml/write-yaml.js';
import { describeFlags, type FlagTable, type FlagValues, parseFlags, UsageError } from '../../flags/flags.js';
import { checkCustomizations } from './check.js';
import { type LoadedObject, loadObjects } from '../../read-objects.js';
import { kindFault, loadItems, loadObject } from './inputs.js';
import { ruleNamed, ruleNames, runRule } from './rules.js';

const flags = {
  filename: {
    type: 'list',
    short: 'f',
    value: 'FILE',
    help: 'File, folder or URL with ResourceInterpreterCustomizations in YAML or JSON; - is the standard input',
  },
  recursive: { type: 'boolean', short: 'R', help: 'Read the folders in a folder of --filename, too' },
  check: { type: 'boolean', help: 'Check the customizations, and run none' },
  operation: { type: 'string', value: 'OPERATION', help: `Operation to run: ${ruleNames.join(', ')}` },
  'desired-file': { type: 'string', value: 'FILE', help: 'File or URL with the desired object' },
  'observed-file': { type: 'string', value: 'FILE', help: 'File or URL with the object as it is in a member' },
  'status-file': { type: 'string', value: 'FILE', help: 'File or URL with one AggregatedStatusItem per cluster' },
  'desired-replica': { type: 'number', value: 'N', default: 0, help: 'Number of replicas for ReviseReplica' },
  help: { type: 'boolean', short: 'h', help: 'Show this text' },
} as const satisfies FlagTable;

const help =
  (): string => `Checks ResourceInterpreterCustomizations, or runs a script of one, before they are applied to the control plane.

Usage:
  karmadactl interpret -f FILE --check
  karmadactl interpret -f FILE --operation OPERATION [flags]

Examples:
  karmadactl interpret -f customization.yaml --operation InterpretReplica --observed-file observed.yaml
  karmadactl interpret -f customization.yaml --operation ReviseReplica --observed-file observed.yaml --desired-replica 2
  karmadactl interpret -f customization.yaml --operation Retain --desired-file desired.yaml --observed-file observed.yaml
  karmadactl interpret -f customization.yaml --operation AggregateStatus --observed-file observed.yaml --status-file -

Flags:
${describeFlags(flags)}
`;

/** as pkg/karmadactl/interpret runExecute. A script that fails is reported, and is no failure of the command. */
async function execute(customizations: readonly LoadedObject[], values: FlagValues<typeof flags>): Promise<void> {
  if (values.operation === '') throw new UsageError('operation is not set for executing');
  const operation = ruleNamed(values.operation);
  const fault = customizations.map(kindFault).find(text => text !== undefined);
  if (fault !== undefined) throw new UsageError(`fail to get customization object: ${fault}`);
  const args = {
    desired: await loadObject(values['desired-file'], 'desired'),
    observed: await loadObject(values['observed-file'], 'observed'),
    items: await loadItems(values['status-file']),
    replicas: values['desired-replica'],
  };
  const rules = mergeRules(customizations.map(({ object }) => object));
  const runner = new ScriptRunner();
  try {
    const results = await runRule(
      operation,
      customizedInterpreter(runner, () => rules),
      args,
    );
    for (const [i, [name, value]] of results.entries())
      process.stdout.write(`---\n# [${i + 1}/${results.length}] ${name}:\n${writeYaml(value)}`);
  } catch (error) {
    process.stderr.write(`Execute ${operation} error: ${errorText(error)}\n`);
  } finally {
    await runner.close();
  }
}

/** Checks customizations, or runs a script of one. as pkg/karmadactl/interpret */
export async function interpretCommand(args: readonly string[]): Promise<void> {
  const { values, rest } = parseFlags(flags, args);
  if (values.help) return void process.stdout.write(help());
  const [unknown] = rest;
  if (unknown !== undefined) throw new UsageError(`unknown argument: ${unknown}`);
  if (values.filename.length === 0) throw new UsageError('-f names no file with customizations');
  const stdins = [...values.filename, values['desired-file'], values['observed-file'], values['status-file']];
  if (stdins.filter(name => name === '-').length > 1)
    throw new UsageError('standard input cannot be used for multiple arguments');
  const customizations = await loadObjects(values.filename, values.recursive);
  if (!values.check) return execute(customizations, values);
  const { text, failed } = checkCustomizations(customizations);
  process.stdout.write(text);
  if (failed) process.exitCode = 1;
}
