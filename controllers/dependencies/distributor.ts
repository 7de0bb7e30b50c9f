import { ExpectedError } from '../../lib/logging/cause.js';
import type { KubeObject } from '../../apimachinery/interface.js';
import { errorText } from '../../apimachinery/errors/error-text.js';
import { gvkOf, namespacedName } from '../../apimachinery/meta/gvk.js';
import { controllerOf } from '../../apimachinery/meta/owner.js';
import { ignoreNotFound } from '../../client/find.js';
import type { Binding } from '../../api/karmada/types.js';
import { annotations, finalizers, labels, resources } from '../../api/karmada/well-known.js';
import type { DependentReference, Interpreter } from '../interpreter/interface.js';
import { specificationChanged } from '../policy/change.js';
import { templateKey, type Templates } from '../policy/templates.js';
import { NotYet } from '../../client/runtime/controller.js';
import { aggregateFailures, isPassing } from '../../client/runtime/failures.js';
import { keyOf } from '../../client/key.js';
import type { ControllerContext, EventRecorder, Informer } from '../../client/runtime/interface.js';
import { createOrUpdate, removeFinalizer, updateObject } from '../../client/runtime/update.js';
import { applyStrategy, attach, attachedBinding, detach, followed } from './attached.js';
import {
  lookupKey,
  lookupKeysOf,
  recordedReferences,
  referencesShown,
  referencesText,
  refersTo,
} from './references.js';
import { referredTo } from './referred-to.js';

interface DistributorOptions {
  readonly templates: Templates;
  readonly interpreter: Interpreter;
}

interface DistributorDeps extends DistributorOptions {
  readonly context: ControllerContext;
  readonly recorder: EventRecorder;
  readonly bindings: Informer<Binding>;
}

const indexers = {
  followed,
  dependency: (binding: Binding): string[] => [...new Set(recordedReferences(binding).map(lookupKey))],
};

/**
 * Propagates the dependencies of a template with it (`propagateDeps`): each gets an attached binding that follows the template's to
 * its clusters. A dependency may be created after its dependent. as pkg/dependenciesdistributor DependenciesDistributor
 */
export function startDependenciesDistributor(context: ControllerContext, options: DistributorOptions): void {
  const bindings = context.informers.informer<Binding>(resources.resourceBindings, { indexers });
  const recorder = context.recorder('dependencies-distributor');
  const deps: DistributorDeps = { ...options, context, recorder, bindings };
  context.run({
    name: 'dependencies-distributor',
    synced: [bindings.synced],
    wire: queue => {
      bindings.onChange(({ old, new: binding }) => {
        if (binding && concerns(old, binding)) queue.add(keyOf(binding));
      });
      options.templates.onChange((change, at) => {
        // The lookup ignores labels: with this change the template may have stopped matching a selector.
        const dependents = lookupKeysOf(at).flatMap(key => bindings.byIndex('dependency', key));
        if (dependents.length === 0) return;
        const { old, new: template } = change;
        if (old && template && !specificationChanged(old, template)) return;
        for (const binding of dependents) queue.add(keyOf(binding));
      });
    },
    reconcile: async key => {
      const binding = bindings.get(key);
      if (binding) await distribute(binding, deps);
    },
  });
}

function concerns(old: Binding | undefined, binding: Binding): boolean {
  const { metadata, spec } = binding;
  if (!old) {
    const left = metadata.finalizers?.includes(finalizers.dependenciesDistributor) ?? false;
    return left || (Boolean(spec.propagateDeps) && Boolean(spec.clusters?.length));
  }
  if (!old.spec.propagateDeps && !spec.propagateDeps) return false;
  if (old.metadata.generation !== metadata.generation) return true;
  // Changes of templates wake this controller from when the index has the annotation; one just before that must not be missed.
  return old.metadata.annotations?.[annotations.dependencies] !== metadata.annotations?.[annotations.dependencies];
}

async function distribute(binding: Binding, deps: DistributorDeps): Promise<void> {
  const { templates, interpreter, recorder } = deps;
  const id = binding.metadata.labels?.[labels.resourceBindingId];
  if (!binding.spec.propagateDeps || binding.metadata.deletionTimestamp) {
    await detachAll(binding, attachedTo(binding, deps), deps);
    const { client } = deps.context;
    return removeFinalizer(client, resources.resourceBindings, binding, finalizers.dependenciesDistributor);
  }
  const template = templates.get(templateKey(binding.spec.resource));
  if (!id) return; // The binding has not passed admission yet.
  // Its mirror may be behind, or of a kind that is not served yet; else the binding is deleted with its template.
  if (!template) throw new NotYet(`the template ${templateKey(binding.spec.resource)} is not known`);
  if (!interpreter.has(gvkOf(template), 'InterpretDependency')) return;
  let references: readonly DependentReference[];
  try {
    references = await interpreter.dependencies(template);
  } catch (error) {
    if (!isPassing(error)) recorder.event(template, 'Warning', 'GetDependenciesFailed', errorText(error));
    throw error;
  }
  const shown = `Get dependencies(${referencesShown(references)}) succeed.`;
  recorder.event(template, 'Normal', 'GetDependenciesSucceed', shown);
  try {
    await sync(binding, references, deps);
  } catch (error) {
    const text = errorText(error);
    if (!isPassing(error)) recorder.event(binding, 'Warning', 'SyncScheduleResultToDependenciesFailed', text);
    throw error;
  }
  const message = 'Sync schedule results to dependencies succeed.';
  recorder.event(binding, 'Normal', 'SyncScheduleResultToDependenciesSucceed', message);
}

/**
 * Returns the bindings that follow a parent, by its name. differs: Karmada selects them by their label, whose key is a hash of the name, and by the
 * parent's id, which may have changed since: they would follow it even when it is gone.
 */
const attachedTo = (parent: Binding, { bindings }: DistributorDeps): readonly Binding[] =>
  bindings.byIndex('followed', keyOf(parent));

async function sync(seen: Binding, references: readonly DependentReference[], deps: DistributorDeps): Promise<void> {
  const { context, templates } = deps;
  const text = referencesText(references);
  const parent = await updateObject(context.client, resources.resourceBindings, seen, ({ metadata }) => {
    metadata.finalizers = [...new Set([...(metadata.finalizers ?? []), finalizers.dependenciesDistributor])];
    (metadata.annotations ??= {})[annotations.dependencies] = text;
  });
  const orphans = attachedTo(parent, deps).filter(({ spec }) => {
    const template = templates.get(templateKey(spec.resource));
    return !references.some(reference =>
      template ? refersTo(reference, template) : lookupKey(reference) === templateKey(spec.resource),
    );
  });
  await detachAll(parent, orphans, deps);
  const failures: unknown[] = [];
  for (const reference of references) {
    try {
      const { apiVersion, kind } = reference;
      const source = templates.source(apiVersion, kind);
      if (!source) throw new ExpectedError(`no matches for kind "${kind}" in version "${apiVersion}"`);
      for await (const template of referredTo(reference, source.informer)) await attachTemplate(parent, template, deps);
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw aggregateFailures(failures);
}

const olderOwner = (key: string): string =>
  `failed to update resourceBinding(${key}) due to different owner reference UID, will try again later after binding is garbage collected, see https://github.com/karmada-io/karmada/issues/6034`;

async function attachTemplate(parent: Binding, template: KubeObject, deps: DistributorDeps): Promise<void> {
  const { context, bindings, recorder } = deps;
  const desired = attachedBinding(parent, template);
  const key = keyOf(desired);
  const decide = (draft: Binding): void => {
    const strategy = applyStrategy(draft, parentsOf(draft, parent, bindings));
    if (!strategy?.disagreements.length) return;
    const message = `Dependency policy conflict detected: ${strategy.disagreements.join('; ')}.`;
    recorder.event(draft, 'Warning', 'DependencyPolicyConflict', message);
  };
  decide(desired);
  await createOrUpdate(context.client, resources.resourceBindings, bindings.get(key), desired, draft => {
    const owner = controllerOf(draft);
    if (owner && owner.uid !== template.metadata.uid) throw new NotYet(olderOwner(key));
    attach(draft, desired, parent);
    decide(draft);
  });
}

/**
 * Returns the bindings that an attached binding follows, with `parent` in place of the cached version of itself. differs: a parent
 * that was deleted without detaching is ignored; Karmada waits for it forever.
 */
function parentsOf({ spec }: Binding, parent: Binding, bindings: Informer<Binding>): Binding[] {
  const parentKey = keyOf(parent);
  return (spec.requiredBy ?? []).flatMap(({ namespace, name }) => {
    const key = namespacedName(namespace, name);
    return key === parentKey ? [parent] : (bindings.get(key) ?? []);
  });
}

/** Detaches the bindings from their parent. The failure of one does not stop the others; throws all failures as one error. */
async function detachAll(parent: Binding, attached: readonly Binding[], deps: DistributorDeps): Promise<void> {
  const failures: unknown[] = [];
  for (const binding of attached) {
    const detached = updateObject(deps.context.client, resources.resourceBindings, binding, draft => {
      detach(draft, parent);
      applyStrategy(draft, parentsOf(draft, parent, deps.bindings));
    });
    try {
      await ignoreNotFound(detached);
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw aggregateFailures(failures);
}
