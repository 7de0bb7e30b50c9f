import { didYouMean, UsageError } from '../flags.js';

/**
 * Returns which controllers a `--controllers` list enables, with the rules of kube-controller-manager: `*` enables all that are on by default,
 * `name` that one, and `-name` disables that one; the first entry that names a controller decides. `-*` disables everything.
 */
export function selectControllers(
  list: readonly string[],
  known: Iterable<string>,
  offByDefault: ReadonlySet<string> = new Set(),
): (name: string) => boolean {
  const names = new Set(known);
  for (const entry of list) {
    const name = entry.replace(/^-/, '');
    if (name !== '*' && !names.has(name))
      throw new UsageError(`unknown controller "${name}" in --controllers${didYouMean(name, names)}`);
  }
  if (list.includes('-*')) return name => list.includes(name);
  const all = list.includes('*');
  return name => {
    const entry = list.find(entry => entry === name || entry === `-${name}`);
    return entry === undefined ? all && !offByDefault.has(name) : entry === name;
  };
}
