/** What the labels of a namespace ask of its pods: a level and a version of the standards for each of three modes. */
// as pod-security-admission/api
import type { Fault } from '../../../apimachinery/interface.js';
import { invalidValue, key } from '../../../apimachinery/errors/faults.js';

/** From the loosest to the strictest. */
const levels = ['privileged', 'baseline', 'restricted'] as const;
export type Level = (typeof levels)[number];

export interface Standard {
  readonly level: Level;
  /** The minor of `v1.x`, or `latest`. */
  readonly version: number | 'latest';
}

export type Mode = 'enforce' | 'audit' | 'warn';
export type Policy = Readonly<Record<Mode, Standard>>;

export const prefix = 'pod-security.kubernetes.io/';
const minor = /^v1\.([0-9]|[1-9][0-9]*)$/;
const open: Standard = { level: 'privileged', version: 'latest' };

export const standardText = ({ level, version }: Standard): string =>
  `${level}:${version === 'latest' ? version : `v1.${version}`}`;

export const compareLevels = (a: Level, b: Level): number => levels.indexOf(a) - levels.indexOf(b);

export const sameStandard = (a: Standard, b: Standard): boolean => a.level === b.level && a.version === b.version;

type Labels = Readonly<Record<string, string>>;

interface Read {
  readonly policy: Policy;
  readonly faults: readonly Fault[];
}

const unlabelled: Read = { policy: { enforce: open, audit: open, warn: open }, faults: [] };

/** hot: of most namespaces with every write of a template. */
function asksForNothing(labels: Labels): boolean {
  for (const label in labels) if (label.startsWith(prefix)) return false;
  return true;
}

/** Wrong labels count as the strictest for what is enforced, and as none for the other modes. */
export function policyOf(labels: Labels = {}): Read {
  if (asksForNothing(labels)) return unlabelled;
  const faults: Fault[] = [];
  function read<T>(label: string, parse: (value: string) => T | undefined, instead: T, wanted: string): T | undefined {
    const value = labels[prefix + label];
    if (value === undefined) return undefined;
    const parsed = parse(value);
    if (parsed !== undefined) return parsed;
    faults.push(invalidValue(key('metadata.labels', prefix + label), value, `must be ${wanted}`));
    return instead;
  }
  const levelOf = (mode: Mode, instead: Level): Level | undefined =>
    read(mode, value => levels.find(level => level === value), instead, `one of ${levels.join(', ')}`);
  const versionOf = (mode: Mode): Standard['version'] | undefined =>
    read(`${mode}-version`, parseVersion, 'latest', '"latest" or "v1.x"');

  const wantedLevel = levelOf('enforce', 'restricted');
  const isWrong = faults.length > 0;
  const enforce: Standard = { level: wantedLevel ?? open.level, version: versionOf('enforce') ?? open.version };
  const audit: Standard = {
    level: levelOf('audit', 'privileged') ?? open.level,
    version: versionOf('audit') ?? open.version,
  };
  const warnLevel = levelOf('warn', 'privileged');
  const warnVersion = versionOf('warn');
  // Who enforces a level is warned of it, without saying so.
  const follows = warnLevel === undefined && wantedLevel !== undefined && !isWrong;
  const warn: Standard = {
    level: follows ? enforce.level : (warnLevel ?? open.level),
    version: warnVersion ?? (follows && enforce.level !== open.level ? enforce.version : open.version),
  };
  return { policy: { enforce, audit, warn }, faults };
}

function parseVersion(text: string): Standard['version'] | undefined {
  if (text === 'latest') return text;
  const found = minor.exec(text);
  return found ? Number(found[1]) : undefined;
}
