interface CommandLine {
  /** The name of the command; '' when there is none. */
  readonly command: string;
  /** All other arguments in their order: flags may precede the command. */
  readonly args: readonly string[];
}

const isBareFlag = (arg: string | undefined): boolean => arg !== undefined && /^-[^=]*$/.test(arg) && arg !== '--';

/**
 * Finds the command among the arguments. A word after a flag without `=` may be the flag's value, so it is taken for the command only when there
 * is no other one (`--profiling up`). as github.com/spf13/cobra Command.Find
 */
export function findCommand(args: readonly string[], commands: readonly string[]): CommandLine {
  const end = args.indexOf('--');
  const places = args.flatMap((arg, at) => (commands.includes(arg) && (end < 0 || at < end) ? [at] : []));
  const certain = places.find(at => !isBareFlag(args[at - 1]));
  const unknown = args.findIndex((arg, at) => !arg.startsWith('-') && !isBareFlag(args[at - 1]));
  // An unknown word before the first known one is taken for the command.
  const index =
    certain !== undefined && (unknown < 0 || certain <= unknown) ? certain : unknown < 0 ? places[0] : unknown;
  if (index === undefined) return { command: '', args };
  return { command: args[index] ?? '', args: args.filter((_, at) => at !== index) };
}
