/** From FlowSchemas and PriorityLevelConfigurations to what the server goes by. Pure: objects in, numbers and matchers out. */
import type { FlowSchema, PriorityLevelConfiguration } from '../../api/kubernetes/flowcontrol.js';
import { mandatoryLevels, mandatorySchemas } from '../../kinds/kubernetes/flowcontrol/mandatory.js';
import { compileRules, type Rule } from './match.js';
import type { Queuing } from './queue-set.js';

export interface LevelPlan {
  readonly name: string;
  readonly uid: string;
  readonly exempt: boolean;
  /** undefined: who finds no seat is turned away. */
  readonly queuing: Queuing | undefined;
  /** Seats: its own, those that it keeps when others borrow, those that it may reach by borrowing. */
  readonly nominal: number;
  readonly least: number;
  readonly most: number;
  /** That one request may take; undefined: as many as requests may take at all. */
  readonly widest: number | undefined;
}

export interface SchemaPlan {
  readonly name: string;
  readonly uid: string;
  readonly level: string;
  readonly distinguisher: 'ByUser' | 'ByNamespace' | undefined;
  readonly rules: readonly Rule[];
}

export interface Plan {
  /** In the order in which they are asked. */
  readonly schemas: readonly SchemaPlan[];
  readonly levels: readonly LevelPlan[];
}

/** The objects, and those that must be where they are missing. */
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

/** One request may take this part of the seats of its level. */
const widestPart = 0.15;

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
    least: nominal - Math.round((nominal * lendable) / 100),
    most: nominal + (borrowing === undefined ? serverSeats : Math.round((nominal * borrowing) / 100)),
    widest: queuing && Math.max(1, Math.min(Math.ceil(nominal * widestPart), Math.floor(nominal / queuing.handSize))),
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

/** The lower number comes first; of equal ones the name decides. */
const byPrecedence = (a: FlowSchema, b: FlowSchema): number =>
  (a.spec?.matchingPrecedence ?? 1000) - (b.spec?.matchingPrecedence ?? 1000) ||
  ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1);

/**
 * `serverSeats`: of all that are not exempt. Schemas whose level is missing are left out.
 * as apiserver/pkg/util/flowcontrol/apf_controller.go cfgMeal
 */
export function planOf(
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
