import process from 'node:process';
import type { RemoteClient } from '../../../aggregation/interface.js';
import { StatusError } from '../../../apimachinery/errors/status.js';
import { namespacedName } from '../../../apimachinery/meta/gvk.js';
import type { GroupVersionResource, KubeObject } from '../../../apimachinery/interface.js';
import { bindingName } from '../../../api/karmada/names.js';
import { resources } from '../../../api/karmada/well-known.js';
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
  karmadactl explain-scheduling TYPE NAME [flags]

Examples:
  karmadactl explain-scheduling deployment nginx
  karmadactl explain-scheduling rb nginx-deployment -n web -o json
  karmadactl explain-scheduling clusterrole reader

Flags:
${describeFlags(flags)}
`;

interface BindingReference {
  readonly resource: GroupVersionResource;
  readonly key: ObjectKey;
}

/** Returns the binding of a resource; a binding itself is its own. */
function bindingOf(found: MappedResource, name: string, namespace: string): BindingReference {
  const { resourceBindings, clusterResourceBindings } = resources;
  for (const resource of [resourceBindings, clusterResourceBindings])
    if (found.group === resource.group && found.resource === resource.resource)
      return { resource, key: found.namespaced ? { namespace, name } : { name } };
  const binding = bindingName(found.kind, name);
  return found.namespaced
    ? { resource: resourceBindings, key: { namespace, name: binding } }
    : { resource: clusterResourceBindings, key: { name: binding } };
}

async function explanationOf(client: RemoteClient, reference: BindingReference): Promise<SchedulingExplanation> {
  const { resource, key } = reference;
  try {
    // A server of this version answers with this kind.
    return (await client.get(resource, key, { subresource: 'explanation' })) as KubeObject & SchedulingExplanation;
  } catch (error) {
    if (!(error instanceof StatusError) || error.code !== 404) throw error;
    const what = `${resource.resource} "${namespacedName(key.namespace, key.name)}"`;
    throw new Error(
      `there is no ${what}: no policy propagates the resource, or the server does not explain decisions`,
      {
        cause: error,
      },
    );
  }
}

/** Prints why a resource is in its clusters. */
export async function explainScheduling(args: readonly string[]): Promise<void> {
  const { values, rest } = parseFlags(flags, args);
  if (values.help) return void process.stdout.write(help());
  const [type, name, more] = rest;
  if (type === undefined || name === undefined)
    throw new UsageError('the type and the name of a resource are required');
  if (more !== undefined) throw new UsageError(`unknown argument: ${more}`);
  const { output } = values;
  if (!formats.includes(output))
    throw new UsageError(
      `unable to match a printer for "${output}": want one of ${formats.join(', ')}${didYouMean(output, formats)}`,
    );
  const control = openControlPlane(values);
  try {
    await checkAnswers(control, 'the control plane');
    const found = await findResource(control.client, type);
    const explanation = await explanationOf(control.client, bindingOf(found, name, values.namespace));
    if (output === 'json') process.stdout.write(`${JSON.stringify(explanation, undefined, 2)}\n`);
    else process.stdout.write(output === 'yaml' ? writeYaml(explanation) : explanationText(explanation));
  } finally {
    await control.client.close();
  }
}
