/** Makes an object valid for a server, by removing the fields that the server refuses. */
import { isObject } from '../../../apimachinery/patch/json.js';

interface Cause {
  readonly field?: string;
  readonly reason?: string;
  readonly message?: string;
}

interface Refusal {
  readonly message?: string;
  readonly details?: { readonly causes?: readonly Cause[] };
}

type Steps = (string | number)[];

/** Returns the steps to a field such as `spec.ports[0].name` or `data[a.b]`, as far as the object has them. */
function stepsTo(object: unknown, field: string): Steps {
  const steps: Steps = [];
  let at = object;
  for (const [, name, key] of field.matchAll(/([^.[\]]+)|\[([^\]]*)\]/g)) {
    const step = name ?? (Array.isArray(at) ? Number(key) : (key ?? ''));
    if (Array.isArray(at) ? typeof step !== 'number' || step >= at.length : !isObject(at) || !(step in at)) break;
    steps.push(step);
    at = (at as Record<string | number, unknown>)[step];
  }
  return steps;
}

function dropAt(object: unknown, steps: Steps): void {
  const parent = steps.slice(0, -1).reduce((at, step) => (at as Record<string | number, unknown>)[step], object);
  const last = steps.at(-1);
  if (Array.isArray(parent)) parent.splice(Number(last), 1);
  else if (isObject(parent)) delete parent[String(last)];
}

const isInside = (inner: Steps, outer: Steps): boolean => outer.every((step, i) => inner[i] === step);

/** Removes the fields at `places`, last items of lists first, and not inside removed ones. Top-level fields are kept. Returns whether any was removed. */
function dropAll(object: unknown, places: readonly Steps[]): boolean {
  const dropped: Steps[] = [];
  for (const steps of places.filter(place => place.length > 1).reverse()) {
    if (dropped.some(outer => isInside(steps, outer))) continue;
    dropAt(object, steps);
    dropped.push(steps);
  }
  return dropped.length > 0;
}

/**
 * Removes fields until `attempt` accepts the object, and returns it. Forbidden fields are removed at once; of the others only the
 * first, since other causes often follow from it. An object that lacks a field is removed. Throws if a refused field cannot be removed.
 */
export async function fit<T extends object>(
  object: T,
  attempt: (object: T) => Promise<Refusal | undefined>,
): Promise<T> {
  const fitting = structuredClone(object);
  for (let round = 0; round < 150; round++) {
    const refusal = await attempt(fitting);
    if (!refusal) return fitting;
    const causes = refusal.details?.causes ?? [];
    const placesOf = (some: readonly Cause[]): Steps[] => some.map(({ field = '' }) => stepsTo(fitting, field));
    const forbidden = placesOf(causes.filter(({ reason }) => reason === 'FieldValueForbidden'));
    const [first] = placesOf(causes).filter(steps => steps.length > 1);
    if (!dropAll(fitting, forbidden) && !(first && dropAll(fitting, [first]))) throw new Error(refusal.message);
  }
  throw new Error('too many rounds');
}
