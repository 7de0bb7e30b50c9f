import { performance } from 'node:perf_hooks';
import { setImmediate } from 'node:timers/promises';
import { Registry } from 'prom-client';
import { type MetricType, register } from './series.js';
import type { MetricJson } from './summary.js';

/** The number of values between two checks of the clock. */
const sliceLength = 200;
/** Milliseconds after which other tasks run. */
const turnMs = 10;

/** Returns the text of all metrics. It is built in time slices: a server with many kinds and clients has 100,000 lines. */
export async function metricsText(registry: Registry): Promise<string> {
  const families: string[] = [];
  let began = performance.now();
  for (const { name } of registry.getMetricsAsArray()) {
    const metric = await registry.getSingleMetric(name)?.get();
    if (metric === undefined) continue;
    const { help, type, values } = metric as MetricJson;
    const lines: string[] = [];
    for (let from = 0; from === 0 || from < values.length; from += sliceLength) {
      if (performance.now() - began > turnMs) {
        await setImmediate();
        began = performance.now();
      }
      const part = new Registry();
      register(part, { name, help, type: type as MetricType, values: () => values.slice(from, from + sliceLength) });
      const text = await part.getSingleMetricAsString(name);
      lines.push(from === 0 ? text : withoutHead(text));
    }
    families.push(lines.join('\n'));
  }
  return `${families.join('\n\n')}\n`;
}

/** Returns the text without the lines of HELP and TYPE. */
const withoutHead = (text: string): string => text.slice(text.indexOf('\n', text.indexOf('\n') + 1) + 1);
