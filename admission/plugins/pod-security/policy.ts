/** Parses the labels of a namespace: a level and a version of the standards for each of three modes. */
// as pod-security-admission/api
import type { Fault } from '../../../apimachinery/interface.js';
import { invalidValue, key } from '../../../apimachinery/errors/faults.js';

/** The levels from the least to the most restrictive. */
const levels = ['privileged', 'baseline', 'restricted'] as const;
type Level = (typeof levels)[number];

export interface LevelVersion {
  readonly level: Level;
  /** Minor version x of `v1.x`, or `latest`. */
  readonly version: number | 'latest';
}

type Mode = 'enforce' | 'audit' | 'warn';
export type PodSecurityStandards = Readonly<Record<Mode, LevelVersion>>;

export const prefix = 'pod-security.kubernetes.io/';
const minor = /^v1\.([0-9]|[1-9][0-9]*)$/;
const unrestricted: LevelVersion = { level: 'privileged', version: 'latest' };

/** Returns a level with its version as annotations and warnings have it: `restricted:latest`, `baseline:v1.30`. */
export const standardText = ({ level, version }: LevelVersion): string =>
  `${level}:${version === 'latest' ? version : `v1.${version}`}`;

/** Compares two levels: negative if the first one allows more than the second. as k8s.io/pod-security-admission/api CompareLevels */
export const compareLevels = (a: Level, b: Level): number => levels.indexOf(a) - levels.indexOf(b);

/** Reports whether two modes have the same level in the same version, so that a Pod needs only one evaluation. */
export const sameStandard = (a: LevelVersion, b: LevelVersion): boolean =>
  a.level === b.level && a.version === b.version;

type Labels = Readonly<Record<string, string>>;

interface ParsedPolicy {
  readonly policy: PodSecurityStandards;
  readonly faults: readonly Fault[];
}

const unlabelled: ParsedPolicy = {
  policy: { enforce: unrestricted, audit: unrestricted, warn: unrestricted },
  faults: [],
};

/** Returns whether none of the labels is one of Pod Security, as in most namespaces. hot: called with every write of a template. */
function hasNoPodSecurityLabels(labels: Labels): boolean {
  for (const label in labels) if (label.startsWith(prefix)) return false;
  return true;
}

/** Parses the labels. An invalid level counts as `restricted` for enforce, and as `privileged` for the other modes. */
export function policyOf(labels: Labels = {}): ParsedPolicy {
  if (hasNoPodSecurityLabels(labels)) return unlabelled;
  const faults: Fault[] = [];
  function read<T>(
    label: string,
    parse: (value: string) => T | undefined,
    fallback: T,
    expected: string,
  ): T | undefined {
    const value = labels[prefix + label];
    if (value === undefined) return undefined;
    const parsed = parse(value);
    if (parsed !== undefined) return parsed;
    faults.push(invalidValue(key('metadata.labels', prefix + label), value, `must be ${expected}`));
    return fallback;
  }
  const levelOf = (mode: Mode, fallback: Level): Level | undefined =>
    read(mode, value => levels.find(level => level === value), fallback, `one of ${levels.join(', ')}`);
  const versionOf = (mode: Mode): LevelVersion['version'] | undefined =>
    read(`${mode}-version`, parseVersion, 'latest', '"latest" or "v1.x"');

  const enforceLevel = levelOf('enforce', 'restricted');
  const isEnforceLevelInvalid = faults.length > 0;
  const enforce: LevelVersion = {
    level: enforceLevel ?? unrestricted.level,
    version: versionOf('enforce') ?? unrestricted.version,
  };
  const audit: LevelVersion = {
    level: levelOf('audit', 'privileged') ?? unrestricted.level,
    version: versionOf('audit') ?? unrestricted.version,
  };
  const warnLevel = levelOf('warn', 'privileged');
  const warnVersion = versionOf('warn');
  // Without a warn label, the warnings are those of the enforced level.
  const follows = warnLevel === undefined && enforceLevel !== undefined && !isEnforceLevelInvalid;
  const warn: LevelVersion = {
    level: follows ? enforce.level : (warnLevel ?? unrestricted.level),
    version: warnVersion ?? (follows && enforce.level !== unrestricted.level ? enforce.version : unrestricted.version),
  };
  return { policy: { enforce, audit, warn }, faults };
}

function parseVersion(text: string): LevelVersion['version'] | undefined {
  if (text === 'latest') return text;
  const found = minor.exec(text);
  return found ? Number(found[1]) : undefined;
}
