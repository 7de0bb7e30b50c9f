import { goQuote } from '../../openapi/meta/go-text.js';

const units: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1e3,
  m: 6e4,
  h: 36e5,
};

/** A Go duration (`1m30s`) in milliseconds, or what Go says against it. as time.ParseDuration */
export function parseDuration(text: string): number | string {
  const unsigned = text.replace(/^[+-]/, '');
  if (unsigned === '0') return 0;
  const invalid = `time: invalid duration ${goQuote(text)}`;
  if (unsigned === '') return invalid;
  let total = 0;
  let rest = unsigned;
  while (rest !== '') {
    const [all, number, unit = ''] = /^(\d+\.?\d*|\.\d+)([^\d.]*)/.exec(rest) ?? [];
    if (all === undefined) return invalid;
    if (unit === '') return `time: missing unit in duration ${goQuote(text)}`;
    const scale = units[unit];
    if (scale === undefined) return `time: unknown unit ${goQuote(unit)} in duration ${goQuote(text)}`;
    total += Number(number) * scale;
    rest = rest.slice(all.length);
  }
  return text.startsWith('-') ? -total : total;
}
