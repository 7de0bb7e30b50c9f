import { ownValue } from '../../../lib/collections/own-value.js';
import { isMap } from '../../../lib/json/is-map.js';
import type { DependentReference } from '../interface.js';
import { coreReferences, secretSources } from '../native/dependencies.js';
import { itemsOf, fieldAt, fieldIfAny } from './read.js';
import { entriesIn, textIfAny } from './values.js';

/**
 * Collects the objects that pods need. The fields of pod specs may have any type; those that no reference is in are not read.
 * Methods throw if a field has a type in which no reference can be.
 */
export class PodReferences {
  readonly #configMaps = new Set<string>();
  readonly #secrets = new Set<string>();
  readonly #serviceAccounts = new Set<string>();
  readonly #claims = new Set<string>();
  readonly #secretSources: Readonly<Record<string, readonly string[]>>;

  /** `sources` are volume sources that refer to a Secret, with the path of its name. */
  constructor(sources = secretSources) {
    this.#secretSources = sources;
  }

  /** Adds the ServiceAccount, the Secrets for images, and what volumes and containers refer to. */
  addPodSpec(spec: unknown): void {
    this.addPodFields(spec);
    for (const kind of ['containers', 'initContainers'])
      for (const container of listed(fieldAt(spec, kind), kind)) this.#addContainer(container);
  }

  /** Adds what fields of a pod refer to, without its containers. */
  addPodFields(spec: unknown): void {
    const account = fieldAt(spec, 'serviceAccountName');
    if (account !== 'default') this.addServiceAccount(account);
    for (const secret of listed(fieldAt(spec, 'imagePullSecrets'), 'imagePullSecrets'))
      add(this.#secrets, fieldAt(secret, 'name'));
    for (const volume of listed(fieldAt(spec, 'volumes'), 'volumes')) this.#addVolume(volume);
  }

  addServiceAccount(name: unknown): void {
    add(this.#serviceAccounts, name);
  }

  addClaim(name: unknown): void {
    add(this.#claims, name);
  }

  /** Returns a reference for each object that was added. */
  in(namespace: string | undefined): DependentReference[] {
    return [
      ...coreReferences('ConfigMap', this.#configMaps, namespace),
      ...coreReferences('Secret', this.#secrets, namespace),
      ...coreReferences('ServiceAccount', this.#serviceAccounts, namespace),
      ...coreReferences('PersistentVolumeClaim', this.#claims, namespace),
    ];
  }

  #addVolume(volume: unknown): void {
    add(this.#configMaps, fieldIfAny(volume, 'configMap', 'name'));
    for (const source of listed(fieldIfAny(volume, 'projected', 'sources'), 'sources')) {
      add(this.#configMaps, fieldIfAny(source, 'configMap', 'name'));
      add(this.#secrets, fieldIfAny(source, 'secret', 'name'));
    }
    for (const source of Object.keys(isMap(volume) ? volume : {})) {
      const path = ownValue(this.#secretSources, source);
      if (path) add(this.#secrets, fieldIfAny(volume, source, ...path));
    }
    this.addClaim(fieldIfAny(volume, 'persistentVolumeClaim', 'claimName'));
  }

  #addContainer(container: unknown): void {
    for (const source of listed(fieldAt(container, 'envFrom'), 'envFrom')) {
      add(this.#configMaps, fieldIfAny(source, 'configMapRef', 'name'));
      add(this.#secrets, fieldIfAny(source, 'secretRef', 'name'));
    }
    for (const variable of listed(fieldAt(container, 'env'), 'env')) {
      add(this.#configMaps, fieldIfAny(variable, 'valueFrom', 'configMapKeyRef', 'name'));
      add(this.#secrets, fieldIfAny(variable, 'valueFrom', 'secretKeyRef', 'name'));
    }
  }
}

function add(names: Set<string>, name: unknown): void {
  const text = textIfAny(name, 'the name of a dependency');
  if (text !== undefined) names.add(text);
}

/** Returns the values of a list, or of an object in its place; none if it is absent. */
const listed = (value: unknown, place: string): readonly unknown[] =>
  value === undefined
    ? []
    : Array.isArray(value)
      ? itemsOf(value, place)
      : entriesIn(value, place).map(([, item]) => item);
