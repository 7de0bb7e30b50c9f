/**
 * Keeps priority and fairness equal to its objects, and the objects as they must be: the mandatory and suggested ones are restored within
 * a minute, and each schema says whether its level exists.
 */
import type { GroupVersionResource, KubeObject } from '../../apimachinery/interface.js';
import { isNotFound } from '../../apimachinery/errors/status.js';
import type { Client } from '../../client/interface.js';
import type { FlowSchema, PriorityLevelConfiguration } from '../../api/kubernetes/flowcontrol.js';
import { mandatoryLevels } from '../../kinds/kubernetes/flowcontrol/mandatory.js';
import { danglingCondition } from './dangling.js';
import type { FlowControl } from './flow-control.js';

const group = 'flowcontrol.apiserver.k8s.io';
export const flowSchemas: GroupVersionResource = { group, version: 'v1', resource: 'flowschemas' };
export const priorityLevels: GroupVersionResource = { group, version: 'v1', resource: 'prioritylevelconfigurations' };

/** A mirror of a resource (`Informer` of client/runtime). */
interface Mirror<T> {
  list(): readonly T[];
  onChange(listener: (change: { readonly old: T | undefined; readonly new: T | undefined }) => void): () => void;
  readonly synced: Promise<void>;
}

export interface MaintainFlowObjectsDeps {
  readonly control: FlowControl;
  readonly schemas: Mirror<FlowSchema>;
  readonly levels: Mirror<PriorityLevelConfiguration>;
  /** Writes the conditions. */
  readonly client: Client;
  /** Restores the objects that must be. */
  readonly restore: () => Promise<void>;
  readonly onError: (error: unknown) => void;
  readonly signal: AbortSignal;
  /** Milliseconds between looks at what must be. */
  readonly restoreEvery?: number;
}

const fieldManager = 'api-priority-and-fairness-config-consumer-v1';
/** Changes that come together are taken together. */
const gathering = 20;
const adjustEvery = 10_000;
/** Somebody else may write conditions too: no more than so many a minute to each schema. */
const writesAMinute = 6;

/** Writes the conditions that are not as they should be. */
function conditions({ client, schemas, levels, onError }: MaintainFlowObjectsDeps): () => Promise<void> {
  let written = new Map<string, number>();
  let minute = 0;
  return async () => {
    const now = new Date();
    const current = Math.floor(now.getTime() / 60_000);
    if (current !== minute) {
      minute = current;
      written = new Map();
    }
    const names = new Set([...mandatoryLevels.keys(), ...levels.list().map(({ metadata }) => metadata.name)]);
    const write = async (schema: FlowSchema): Promise<void> => {
      const condition = danglingCondition(schema, level => names.has(level), now);
      const { name = '' } = schema.metadata;
      const writes = written.get(name) ?? 0;
      if (!condition || writes >= writesAMinute) return;
      written.set(name, writes + 1);
      const { apiVersion, kind } = schema as KubeObject;
      const patch = { apiVersion, kind, metadata: { name }, status: { conditions: [condition] } };
      await client
        .patch(flowSchemas, { name }, { type: 'apply', patch, force: true }, { subresource: 'status', fieldManager })
        .catch((error: unknown) => {
          if (!isNotFound(error)) onError(error); // deleted meanwhile
        });
    };
    await Promise.all(schemas.list().map(write));
  };
}

/** Resolves when the server goes by the objects, and they say so. Ends with the signal. */
export async function maintainFlowObjects(deps: MaintainFlowObjectsDeps): Promise<void> {
  const { control, schemas, levels, signal, restore, onError, restoreEvery = 60_000 } = deps;
  await Promise.all([schemas.synced, levels.synced]);
  if (signal.aborted) return;
  const writeConditions = conditions(deps);
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();

  const take = (): void => {
    timer = undefined;
    control.configure(schemas.list(), levels.list());
    writing = writing.then(writeConditions).catch(onError);
  };
  const changed = (): void => {
    timer ??= setTimeout(take, gathering).unref();
  };
  const unsubscribe = [schemas.onChange(changed), levels.onChange(changed)];
  clearTimeout(timer);
  take();
  await writing;
  if (signal.aborted) return unsubscribe.forEach(end => end());
  const adjusting = setInterval(() => control.adjust(), adjustEvery).unref();
  const restoring = setInterval(() => void restore().catch(onError), restoreEvery).unref();
  signal.addEventListener(
    'abort',
    () => {
      for (const end of unsubscribe) end();
      clearTimeout(timer);
      clearInterval(adjusting);
      clearInterval(restoring);
    },
    { once: true },
  );
}
