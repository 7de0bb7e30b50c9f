import { parseBool } from '../../lib/go/go-bool.js';
/** Lists Karmada's feature gates and their defaults. as pkg/features */

const stages = {
  Failover: { stage: 'beta', on: false },
  GracefulEviction: { stage: 'beta', on: true },
  PropagateDeps: { stage: 'beta', on: true },
  CustomizedClusterResourceModeling: { stage: 'beta', on: true },
  PropagationPolicyPreemption: { stage: 'alpha', on: false },
  MultiClusterService: { stage: 'alpha', on: false },
  ResourceQuotaEstimate: { stage: 'alpha', on: false },
  StatefulFailoverInjection: { stage: 'alpha', on: false },
  PriorityBasedScheduling: { stage: 'beta', on: true },
  FederatedQuotaEnforcement: { stage: 'alpha', on: false },
  LoggingAlphaOptions: { stage: 'alpha', on: false },
  LoggingBetaOptions: { stage: 'beta', on: true },
  ContextualLogging: { stage: 'beta', on: true },
  MultiplePodTemplatesScheduling: { stage: 'alpha', on: false },
  ControllerPriorityQueue: { stage: 'beta', on: true },
  WorkloadAffinity: { stage: 'alpha', on: false },
  SchedulingOvercommitProtection: { stage: 'alpha', on: false },
} as const satisfies Readonly<Record<string, { readonly stage: 'alpha' | 'beta'; readonly on: boolean }>>;

export type FeatureGate = keyof typeof stages;
export type FeatureGates = Readonly<Record<FeatureGate, boolean>>;

const names = Object.keys(stages) as FeatureGate[];
const wholeStages: Readonly<Record<string, 'alpha' | 'beta'>> = { AllAlpha: 'alpha', AllBeta: 'beta' };
const isGate = (name: string): name is FeatureGate => Object.hasOwn(stages, name);

/** Gates that can be switched but have no effect yet. */
export const gatesWithoutEffect: readonly FeatureGate[] = [
  'MultiClusterService',
  'LoggingAlphaOptions',
  'LoggingBetaOptions',
  'ContextualLogging',
];

/** The names that `--feature-gates` accepts. */
export const featureGateNames: readonly string[] = [...names, ...Object.keys(wholeStages)];

export class UnknownFeatureGate extends Error {
  readonly gate: string;
  constructor(gate: string) {
    super(`unrecognized feature gate: ${gate}`);
    this.gate = gate;
  }
}

/**
 * Returns the gates with some switched. `AllAlpha` and `AllBeta` switch a whole stage; single names take precedence. Throws for an unknown name.
 */
export function featureGates(switched: Readonly<Record<string, boolean>> = {}): FeatureGates {
  const gates = Object.fromEntries(names.map(name => [name, stages[name].on])) as Record<FeatureGate, boolean>;
  const entries = Object.entries(switched);
  for (const [name, on] of entries)
    for (const gate of names) if (wholeStages[name] === stages[gate].stage) gates[gate] = on;
  for (const [name, on] of entries) {
    if (isGate(name)) gates[name] = on;
    else if (!Object.hasOwn(wholeStages, name)) throw new UnknownFeatureGate(name);
  }
  return Object.freeze(gates);
}

/** Parses the value of `--feature-gates`: `Failover=true,AllAlpha=false`. Throws with a text for the user. */
// as component-base/featuregate Set
export function parseFeatureGates(text: string): FeatureGates {
  const switched: Record<string, boolean> = {};
  for (const part of text.split(',')) {
    if (part === '') continue;
    const equals = part.indexOf('=');
    const name = (equals < 0 ? part : part.slice(0, equals)).trim();
    if (equals < 0) throw new Error(`missing bool value for ${name}`);
    const value = part.slice(equals + 1).trim();
    const on = parseBool(value);
    if (on === undefined)
      throw new Error(`invalid value of ${name}=${value}, err: strconv.ParseBool: parsing "${value}": invalid syntax`);
    switched[name] = on;
  }
  return featureGates(switched);
}
