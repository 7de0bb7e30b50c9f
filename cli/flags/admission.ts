/** Reads which admission plugins run, from kube-apiserver's flags. */
import { availablePlugins, knownPlugins, type PluginSwitches } from '../../admission/plugin-selection.js';
import { didYouMean, type FlagTable, type FlagValues, UsageError } from './flags.js';

export const admissionFlags = {
  'enable-admission-plugins': {
    type: 'list',
    value: 'LIST',
    help: 'Admission plugins of kube-apiserver that run besides the default ones, such as NodeRestriction',
  },
  'disable-admission-plugins': {
    type: 'list',
    value: 'LIST',
    help: 'Admission plugins of kube-apiserver that do not run, though they would by default',
  },
} as const satisfies FlagTable;

/** Throws UsageError for a name that is unknown to kube-apiserver, is in both lists, or cannot be enabled. */
export function parseAdmission(values: FlagValues<typeof admissionFlags>): PluginSwitches {
  const enable = values['enable-admission-plugins'];
  const disable = values['disable-admission-plugins'];
  for (const [flag, names] of [
    ['enable-admission-plugins', enable],
    ['disable-admission-plugins', disable],
  ] as const) {
    const unknown = names.find(name => !knownPlugins.includes(name));
    if (unknown !== undefined)
      throw new UsageError(`unknown plugin "${unknown}" in --${flag}${didYouMean(unknown, knownPlugins)}`);
  }
  const missing = enable.find(name => !availablePlugins.includes(name));
  if (missing !== undefined)
    throw new UsageError(`the plugin ${missing} in --enable-admission-plugins is not available in Flagship`);
  const both = enable.find(name => disable.includes(name));
  if (both !== undefined)
    throw new UsageError(`the plugin ${both} is in both --enable-admission-plugins and --disable-admission-plugins`);
  return { enable, disable };
}
