import process from 'node:process';
import type { RemoteClient } from '../../../aggregation/interface.js';
import { isNotFound } from '../../../apimachinery/errors/status.js';
import { namespacedName } from '../../../apimachinery/meta/gvk.js';
import type { GroupVersionResource, KubeObject } from '../../../apimachinery/interface.js';
import { bindingName } from '../../../api/karmada/names.js';
import { resources } from '../../../api/karmada/well-known.js';
import { find } from '../../../client/find.js';
import type { MappedResource, ObjectKey } from '../../../client/interface.js';
import { writeYaml } from '../../../lib/yaml/write-yaml.js';
import type { SchedulingExplanation } from '../../../scheduler/explain/explanation.js';
import { explanationText } from '../../../scheduler/explain/explanation-text.js';
import { describeFlags, didYouMean, type FlagTable, parseFlags, UsageError } from '../../flags/flags.js';
import { checkAnswers, controlPlaneFlags, openControlPlane } from '../connect.js';
import { findResource } from './find-resource.js';

const formats = ['text', 'json', 'yaml'];

const flags = {
  ...controlPlaneFlags,
  namespace: { type: 'string', short: 'n', value: 'NAME', default: 'default', help: 'Namespace of the resource' },
  output: { type: 'string', short: 'o', value: 'FORMAT', default: 'text', help: `One of ${formats.join(', ')}` },
  help: { type: 'boolean', short: 'h', help: 'Show this text' },
} as const satisfies FlagTable;

const help =
  (): string => `Tells for each cluster why a resource is there or not, and what the scheduler would decide now.

Usage:
  karmadactl explain-scheduling (TYPE NAME | TYPE/NAME) [flags]

Examples:
  karmadactl explain-scheduling deployment nginx
  karmadactl explain-scheduling rb nginx-deployment -n web -o json
  karmadactl explain-scheduling clusterrole reader

Flags:
${describeFlags(flags)}
`;

interface Reference {
  readonly resource: GroupVersionResource;
  readonly key: ObjectKey;
}

/** Returns the binding of a resource; a binding itself is its own. */
function bindingOf(found: MappedResource, name: string, namespace: string): Reference {
  const { resourceBindings, clusterResourceBindings } = resources;
  for (const resource of [resourceBindings, clusterResourceBindings])
    if (found.group === resource.group && found.resource === resource.resource)
      return { resource, key: found.namespaced ? { namespace, name } : { name } };
  const binding = bindingName(found.kind, name);
  return found.namespaced
    ? { resource: resourceBindings, key: { namespace, name: binding } }
    : { resource: clusterResourceBindings, key: { name: binding } };
}

async function explanationOf(client: RemoteClient, { resource, key }: Reference): Promise<SchedulingExplanation> {
  // A server of this version answers with this kind.
  return (await client.get(resource, key, { subresource: 'explanation' })) as KubeObject & SchedulingExplanation;
}

/** Returns why a resource has no explanation: there is no binding, or the server explains none. Rejects with NotFound when there is no such resource. */
async function whyNone(client: RemoteClient, of: Reference, binding: Reference): Promise<Error> {
  const nameOf = ({ resource: { resource }, key }: Reference): string =>
    `${resource} "${namespacedName(key.namespace, key.name)}"`;
  await client.get(of.resource, of.key);
  if (await find(client, binding.resource, binding.key))
    return new Error(`the server does not explain the decisions of ${nameOf(binding)}`);
  return new Error(`no policy propagates ${nameOf(of)}: there is no ${nameOf(binding)}`);
}

/** Returns the type and the name of a resource, which may be one argument as for kubectl. Throws UsageError. */
function resourceArguments([first = '', ...further]: readonly string[]): readonly [type: string, name: string] {
  const slash = first.indexOf('/');
  const [type, name, more] =
    slash < 0 ? [first, ...further] : [first.slice(0, slash), first.slice(slash + 1), ...further];
  if (!type || !name) throw new UsageError('the type and the name of a resource are required');
  if (more !== undefined) throw new UsageError(`unknown argument: ${more}`);
  return [type, name];
}

/** Prints why a resource is in its clusters. */
export async function explainScheduling(args: readonly string[]): Promise<void> {
  const { values, rest } = parseFlags(flags, args);
  if (values.help) return void process.stdout.write(help());
  const [type, name] = resourceArguments(rest);
  const { output } = values;
  if (!formats.includes(output))
    throw new UsageError(
      `unable to match a printer for "${output}": want one of ${formats.join(', ')}${didYouMean(output, formats)}`,
    );
  const control = openControlPlane(values);
  try {
    await checkAnswers(control, 'the control plane');
    const found = await findResource(control.client, type);
    const key = found.namespaced ? { namespace: values.namespace, name } : { name };
    const binding = bindingOf(found, name, values.namespace);
    const explanation = await explanationOf(control.client, binding).catch(async (error: unknown) => {
      throw isNotFound(error) ? await whyNone(control.client, { resource: found, key }, binding) : error;
    });
    if (output === 'json') process.stdout.write(`${JSON.stringify(explanation, undefined, 2)}\n`);
    else process.stdout.write(output === 'yaml' ? writeYaml(explanation) : explanationText(explanation));
  } finally {
    await control.client.close();
  }
}
