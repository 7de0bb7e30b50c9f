/** Makes an object acceptable to a server, by leaving out what it refuses until it refuses nothing. */
import { isObject } from '../../../apimachinery/patch/json.js';

interface Cause {
  readonly field?: string;
  readonly reason?: string;
  readonly message?: string;
}

export interface Refusal {
  readonly message?: string;
  readonly details?: { readonly causes?: readonly Cause[] };
}

type Steps = (string | number)[];

/** `spec.ports[0].name`, `data[a.b]` -> the steps to the field, as far as the object has them. */
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

/** Drops what stands there, the last of a list first, and what is in what was dropped only once. What stands at the top stays. */
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
 * The object, with less and less in it, given to `attempt` until that refuses nothing. What is forbidden goes at once; of the rest the
 * first, since what more is said often follows from it. Who lacks a field goes as a whole. Throws when what is refused cannot go.
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
