import { ExpectedError } from '../../../../lib/logging/cause.js';
import { goFloatFixed } from '../../../../lib/go/go-float.js';
import { textOf } from '../read.js';

/** The units of quantities, each 1024 times the one before. */
const units = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi'] as const;

/** The units of Java, as the power of 1024: `512m`, `1.5gb`. */
const javaUnits: ReadonlyMap<string, number> = new Map(
  ['b', 'k', 'm', 'g', 't', 'p'].flatMap((unit, power): [string, number][] => [
    [unit, power],
    [unit === 'b' ? 'b' : `${unit}b`, power],
  ]),
);

interface Memory {
  readonly amount: number;
  /** The unit, as the power of 1024. */
  readonly power: number;
}

/** The least memory outside of the heap: 384 MiB. */
const minOverhead: Memory = { amount: 384, power: 2 };

/** Returns memory as Java writes it. Throws without a number or a unit. */
function parseMemory(value: unknown): Memory {
  const text = textOf(value, 'the memory');
  const [, amount, unit = ''] = /^(\d+(?:\.\d*)?)([a-z]*)$/.exec(text.toLowerCase()) ?? [];
  const power = javaUnits.get(unit);
  if (amount === undefined || power === undefined)
    throw new ExpectedError('the memory is not an amount with a unit, such as 512m');
  return { amount: Number(amount), power };
}

const amountAt = ({ amount, power }: Memory, wanted: number): number => amount * 1024 ** (power - wanted);

/** Returns the larger one of the least overhead and the fraction of the memory, in the smaller unit. */
function defaultOverhead(memory: Memory, factor: number): Memory {
  const power = Math.min(memory.power, minOverhead.power);
  const fraction = { amount: memory.amount * factor, power: memory.power };
  return { amount: Math.max(amountAt(fraction, power), amountAt(minOverhead, power)), power };
}

/**
 * Returns the quantity of memory that a pod of Spark requests: the heap, and the overhead as given or else as Spark computes it.
 * Throws if one of them has no unit of Java.
 */
export function podMemory(heap: unknown, overhead: unknown, overheadFactor: number): string {
  const memory = parseMemory(heap);
  const more = overhead === undefined ? defaultOverhead(memory, overheadFactor) : parseMemory(overhead);
  const power = Math.min(memory.power, more.power);
  return `${goFloatFixed(amountAt(memory, power) + amountAt(more, power), 'f', 6)}${units[power] ?? ''}`;
}
