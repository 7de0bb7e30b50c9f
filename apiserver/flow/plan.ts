/** Computes numbers of seats and matchers from FlowSchemas and PriorityLevelConfigurations. Pure. */
import type { FlowSchema, PriorityLevelConfiguration } from '../../api/kubernetes/flowcontrol.js';
import { mandatoryLevels, mandatorySchemas } from '../../kinds/kubernetes/flowcontrol/mandatory.js';
import { compileRules, type Rule } from './match.js';
import type { Queuing } from './queue-set.js';

export interface LevelPlan {
  readonly name: string;
  readonly uid: string;
  readonly exempt: boolean;
  /** Undefined: requests that find no seat are rejected. */
  readonly queuing: Queuing | undefined;
  /** Seats: its own, those that it cannot lend, and the most that it can reach by borrowing. */
  readonly nominal: number;
  readonly minSeats: number;
  readonly maxSeats: number;
  /** The maximum number of seats of one request; undefined: the general maximum. */
  readonly maxRequestSeats: number | undefined;
}

export interface SchemaPlan {
  readonly name: string;
  readonly uid: string;
  readonly level: string;
  readonly distinguisher: 'ByUser' | 'ByNamespace' | undefined;
  readonly rules: readonly Rule[];
}

interface Plan {
  /** In the order in which they are matched. */
  readonly schemas: readonly SchemaPlan[];
  readonly levels: readonly LevelPlan[];
}

/** Returns the objects, and the mandatory ones that are missing. */
function withMandatory<T extends { metadata: { name?: string } }, S>(
  objects: readonly T[],
  mandatory: ReadonlyMap<string, S>,
  make: (name: string, spec: S) => T,
): readonly T[] {
  const names = new Set(objects.map(({ metadata }) => metadata.name));
  return [...objects, ...[...mandatory].filter(([name]) => !names.has(name)).map(([name, spec]) => make(name, spec))];
}

const apiVersion = 'flowcontrol.apiserver.k8s.io/v1';

interface Shares {
  readonly shares: number;
  readonly lendable: number;
  readonly borrowing: number | undefined;
}

function sharesOf({ spec }: PriorityLevelConfiguration): Shares {
  if (spec?.type === 'Exempt') {
    const { nominalConcurrencyShares, lendablePercent } = spec.exempt ?? {};
    return { shares: nominalConcurrencyShares ?? 0, lendable: lendablePercent ?? 0, borrowing: undefined };
  }
  const { nominalConcurrencyShares, lendablePercent, borrowingLimitPercent } = spec?.limited ?? {};
  return {
    shares: nominalConcurrencyShares ?? 30,
    lendable: lendablePercent ?? 0,
    borrowing: borrowingLimitPercent ?? undefined,
  };
}

function queuingOf({ spec }: PriorityLevelConfiguration): Queuing | undefined {
  const { type, queuing } = spec?.limited?.limitResponse ?? {};
  if (type !== 'Queue') return undefined;
  const { queues = 64, handSize = 8, queueLengthLimit = 50 } = queuing ?? {};
  return { queues, handSize, queueLengthLimit };
}

/** The maximum share of a request in the seats of its level. */
const maxRequestShare = 0.15;

function levelPlan(level: PriorityLevelConfiguration, serverSeats: number, allShares: number): LevelPlan {
  const { shares, lendable, borrowing } = sharesOf(level);
  const nominal = allShares === 0 ? 0 : Math.ceil((serverSeats * shares) / allShares);
  const queuing = queuingOf(level);
  return {
    name: level.metadata.name ?? '',
    uid: level.metadata.uid ?? '',
    exempt: level.spec?.type === 'Exempt',
    queuing,
    nominal,
    minSeats: nominal - Math.round((nominal * lendable) / 100),
    maxSeats: nominal + (borrowing === undefined ? serverSeats : Math.round((nominal * borrowing) / 100)),
    maxRequestSeats:
      queuing && Math.max(1, Math.min(Math.ceil(nominal * maxRequestShare), Math.floor(nominal / queuing.handSize))),
  };
}

const isByMethod = (type: string | undefined): type is 'ByUser' | 'ByNamespace' =>
  type === 'ByUser' || type === 'ByNamespace';

function schemaPlan({ metadata, spec = {} }: FlowSchema): SchemaPlan {
  const type = spec.distinguisherMethod?.type;
  return {
    name: metadata.name ?? '',
    uid: metadata.uid ?? '',
    level: spec.priorityLevelConfiguration?.name ?? '',
    distinguisher: isByMethod(type) ? type : undefined,
    rules: compileRules(spec),
  };
}

/** Orders by matchingPrecedence, then by name. */
const byPrecedence = (a: FlowSchema, b: FlowSchema): number =>
  (a.spec?.matchingPrecedence ?? 1000) - (b.spec?.matchingPrecedence ?? 1000) ||
  ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1);

/**
 * Returns the plan. `serverSeats`: the seats of all levels that are not exempt. Schemas whose level is missing are left out.
 * as apiserver/pkg/util/flowcontrol/apf_controller.go cfgMeal
 */
export function flowPlanOf(
  schemas: readonly FlowSchema[],
  levels: readonly PriorityLevelConfiguration[],
  serverSeats: number,
): Plan {
  const allLevels = withMandatory(levels, mandatoryLevels, (name, spec) => ({
    ...{ apiVersion, kind: 'PriorityLevelConfiguration' },
    ...{ metadata: { name }, spec },
  }));
  const allSchemas = withMandatory(schemas, mandatorySchemas, (name, spec) => ({
    ...{ apiVersion, kind: 'FlowSchema' },
    ...{ metadata: { name }, spec },
  }));
  const allShares = allLevels.reduce((sum, level) => sum + sharesOf(level).shares, 0);
  const names = new Set(allLevels.map(({ metadata }) => metadata.name));
  return {
    levels: allLevels.map(level => levelPlan(level, serverSeats, allShares)),
    schemas: [...allSchemas]
      .sort(byPrecedence)
      .filter(({ spec }) => names.has(spec?.priorityLevelConfiguration?.name))
      .map(schemaPlan),
  };
}
