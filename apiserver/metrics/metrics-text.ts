import { Registry } from 'prom-client';
import { TimeSlice } from '../../lib/time-slice.js';
import { type MetricType, type MetricValue, register, type RegisteredFamily } from './series.js';
import type { MetricJson } from './summary.js';

/** The number of values between two checks of the clock. */
const batchLength = 200;

/** A family whose values are read in parts. */
interface FamilyInParts {
  readonly help: string;
  readonly type: MetricType;
  readonly parts: Iterable<readonly MetricValue[]>;
}

/**
 * Returns the text of all metrics in parts, which belong together without separators. It is built in time slices: a server with many kinds and
 * clients has 100,000 lines.
 */
export async function metricsText(registry: Registry): Promise<readonly string[]> {
  const texts: string[] = [];
  const slice = new TimeSlice();
  for (const { name } of registry.getMetricsAsArray()) {
    // The values of a family may be read as a whole.
    const begin = slice.pause();
    if (begin) await begin;
    const family = await familyIn(registry, name);
    if (!family) continue;
    let separator = texts.length === 0 ? '' : '\n\n';
    for (const values of batches(family.parts)) {
      const pause = slice.pause();
      if (pause) await pause;
      const text = await textOf(name, family, values);
      texts.push(separator === '\n' ? `\n${withoutHead(text)}` : `${separator}${text}`);
      separator = '\n';
    }
  }
  texts.push('\n');
  return texts;
}

async function familyIn(registry: Registry, name: string): Promise<FamilyInParts | undefined> {
  const metric = registry.getSingleMetric(name);
  if (metric === undefined) return undefined;
  const { help, type, bySeries } = metric as object as Partial<RegisteredFamily>;
  if (help !== undefined && type !== undefined && bySeries) return { help, type, parts: bySeries() };
  const json = (await metric.get()) as MetricJson;
  return { help: json.help, type: json.type as MetricType, parts: slices(json.values) };
}

function* slices(values: readonly MetricValue[]): Generator<readonly MetricValue[], void> {
  for (let from = 0; from < values.length; from += batchLength) yield values.slice(from, from + batchLength);
}

/** Joins parts to batches. There is always one, even without values: the head of the family is in its text. */
function* batches(parts: Iterable<readonly MetricValue[]>): Generator<MetricValue[], void> {
  let batch: MetricValue[] = [];
  let isFirst = true;
  for (const part of parts) {
    batch.push(...part);
    if (batch.length < batchLength) continue;
    yield batch;
    batch = [];
    isFirst = false;
  }
  if (isFirst || batch.length > 0) yield batch;
}

function textOf(name: string, { help, type }: FamilyInParts, values: MetricValue[]): Promise<string> {
  const part = new Registry();
  register(part, { name, help, type, values: () => values });
  return part.getSingleMetricAsString(name);
}

/** Returns the text without the lines of HELP and TYPE. */
const withoutHead = (text: string): string => text.slice(text.indexOf('\n', text.indexOf('\n') + 1) + 1);
