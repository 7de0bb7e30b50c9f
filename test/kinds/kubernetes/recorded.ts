/** Replays recorded creates that were refused, with the rules of their kinds alone. */
import type { Test } from 'tap';
import type { KubeObject, Status } from '../../../apimachinery/interface.js';
import { invalid } from '../../../apimachinery/errors/status.js';
import type { ResourceDefinition, StrategyContext } from '../../../registry/interface.js';
import { recorded } from '../../data.js';
import { faultsFrom, rulesFor } from './faults.js';

interface Step {
  readonly do?: string;
  readonly body?: KubeObject;
  readonly want?: { readonly status: number; readonly body: Status };
}

interface Recording {
  readonly cases: readonly { readonly name: string; readonly steps: readonly Step[] }[];
}

export const strategyContext = (operation: StrategyContext['operation']): StrategyContext => ({
  user: { name: 'jane', uid: 'u-1', groups: ['devs', 'system:authenticated'], extra: { k: ['v'] } },
  operation,
  namespace: '',
  subresource: '',
  version: 'v1',
  dryRun: false,
  now: new Date('2026-01-02T03:04:05.678Z'),
  warn: () => undefined,
});

/** Returns the Status with which the rules of a kind refuse a new object. */
export async function refusalOf(definition: ResourceDefinition, body: KubeObject): Promise<Status> {
  const draft = structuredClone(body);
  definition.defaults?.(draft, 'v1');
  const context = strategyContext('create');
  for (const prepare of definition.strategy.prepareCreate) prepare(draft, undefined, context);
  const faults = await faultsFrom(rulesFor(definition.strategy, 'create'), draft, undefined, context);
  return invalid(definition, draft.metadata.name ?? '', faults).status;
}

/** Replays every recorded refusal of a create of these kinds; returns how many there were. */
export async function replayRefusals(t: Test, definitions: readonly ResourceDefinition[]): Promise<number> {
  const byKind = new Map(definitions.map(definition => [definition.kind, definition]));
  let count = 0;
  for (const { name, steps } of (recorded('corpus/validation.json') as Recording).cases) {
    for (const { do: request, body, want } of steps) {
      const definition = body && byKind.get(body.kind);
      if (body === undefined || definition === undefined || !request?.startsWith('POST') || want?.status !== 422)
        continue;
      t.same(await refusalOf(definition, body), want.body, name);
      count++;
    }
  }
  return count;
}
