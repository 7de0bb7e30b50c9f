/**
 * Configures priority and fairness by its objects, restores the mandatory and suggested ones within a minute, and writes the condition Dangling
 * of each FlowSchema.
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

interface MaintainFlowObjectsDeps {
  readonly control: FlowControl;
  readonly schemas: Mirror<FlowSchema>;
  readonly levels: Mirror<PriorityLevelConfiguration>;
  /** Writes the conditions. */
  readonly client: Client;
  /** Restores the mandatory and suggested objects. */
  readonly restore: () => Promise<void>;
  readonly onError: (error: unknown) => void;
  readonly signal: AbortSignal;
  /** Milliseconds between two calls of `restore`. */
  readonly restoreEveryMs?: number;
}

const fieldManager = 'api-priority-and-fairness-config-consumer-v1';
/** Milliseconds for which changes are gathered before they are applied together. */
const gatherMs = 20;
/** Milliseconds between two calls of `adjust`, which divides the seats between the levels again. */
const adjustMs = 10_000;
/** The maximum number of writes per minute and schema, since another writer may change conditions, too. */
const maxWritesPerMinute = 6;

/** Returns a function that writes the conditions that are missing or wrong. */
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
      if (!condition || writes >= maxWritesPerMinute) return;
      written.set(name, writes + 1);
      const { apiVersion, kind } = schema as KubeObject;
      const patch = { apiVersion, kind, metadata: { name }, status: { conditions: [condition] } };
      await client
        .patch(flowSchemas, { name }, { type: 'apply', patch, force: true }, { subresource: 'status', fieldManager })
        .catch((error: unknown) => {
          if (!isNotFound(error)) onError(error); // The schema was deleted meanwhile.
        });
    };
    await Promise.all(schemas.list().map(write));
  };
}

/** Resolves when the objects are applied and their conditions are written. Continues until the signal aborts. */
export async function maintainFlowObjects(deps: MaintainFlowObjectsDeps): Promise<void> {
  const { control, schemas, levels, signal, restore, onError, restoreEveryMs = 60_000 } = deps;
  await Promise.all([schemas.synced, levels.synced]);
  if (signal.aborted) return;
  const writeConditions = conditions(deps);
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();

  const apply = (): void => {
    timer = undefined;
    control.configure(schemas.list(), levels.list());
    writing = writing.then(writeConditions).catch(onError);
  };
  const onChange = (): void => {
    timer ??= setTimeout(apply, gatherMs).unref();
  };
  const unsubscribe = [schemas.onChange(onChange), levels.onChange(onChange)];
  clearTimeout(timer);
  apply();
  await writing;
  if (signal.aborted) return unsubscribe.forEach(end => end());
  const adjusting = setInterval(() => control.adjust(), adjustMs).unref();
  const restoring = setInterval(() => void restore().catch(onError), restoreEveryMs).unref();
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
