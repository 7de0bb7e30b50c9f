/** Formats cells that several kinds share. */
import type { KubeObject } from '../../../apimachinery/interface.js';
import { humanDuration } from '../../../lib/go/duration.js';
import { type LabelSelector as Selector, selectorOf } from '../../../apimachinery/selectors/label-selectors.js';
import type { Container } from '../../../api/kubernetes/core.js';
import type { LabelSelector } from '../../../api/kubernetes/meta.js';

/** Returns the age as `5m`; `<unknown>` for no time. */
export function since(time: string | null | undefined, now: Date): string {
  return time ? humanDuration(now.getTime() - Date.parse(time)) : '<unknown>';
}

/** The common part of all objects. */
type Named = Pick<KubeObject, 'metadata'>;

/** Returns the name of an object as a cell; empty for one that has no name yet. */
export function nameCell(object: Named): string {
  return object.metadata.name ?? '';
}

/** Returns the time since the creation, such as `5m`; `<unknown>` without a creation time. as pkg/printers/internalversion translateTimestampSince */
export function ageCell(object: Named, now: Date): string {
  return since(object.metadata.creationTimestamp, now);
}

/** Returns `a=b,c=d`, sorted; `<none>` if there are none. */
export function labelsCell(labels: Readonly<Record<string, string>> | undefined): string {
  const pairs = Object.entries(labels ?? {}).map(([key, value]) => `${key}=${value}`);
  return pairs.length === 0 ? '<none>' : pairs.sort().join(',');
}

/** Returns a label selector as text; `<none>` if it selects nothing or everything, `<error>` if it is invalid. */
// as apimachinery/pkg/apis/meta/v1 FormatLabelSelector
export function selectorCell(selector: LabelSelector | undefined): string {
  const text = selectorText(selector);
  if (text === undefined) return '<error>';
  return text === '' ? '<none>' : text;
}

/** Returns '' for no selector, undefined for an invalid one. */
export function selectorText(selector: LabelSelector | undefined): string | undefined {
  try {
    return selectorOf(selector as Selector | undefined).toString();
  } catch {
    return undefined;
  }
}

/** Returns the names and the images of containers. */
export function containerCells(containers: readonly Container[] | undefined): [string, string] {
  const all = containers ?? [];
  return [all.map(c => c.name ?? '').join(','), all.map(c => c.image ?? '').join(',')];
}

/** Returns at most `max` of the entries: `a,b,c + 2 more...`. */
export function firstFew(entries: readonly string[], max: number, separator = ','): string {
  const shown = entries.slice(0, max).join(separator);
  return entries.length > max ? `${shown} + ${entries.length - max} more...` : shown;
}

/** Returns RWO, ROX, RWX and RWOP, each at most once, in this order. */
// as pkg/apis/core/helper GetAccessModesAsString
export function accessModesCell(modes: readonly string[] | undefined): string {
  return Object.entries(shortModes)
    .filter(([mode]) => modes?.includes(mode))
    .map(([, short]) => short)
    .join(',');
}

const shortModes: Readonly<Record<string, string>> = {
  ReadWriteOnce: 'RWO',
  ReadOnlyMany: 'ROX',
  ReadWriteMany: 'RWX',
  ReadWriteOncePod: 'RWOP',
};

/** Returns the addresses of a load balancer, sorted, without duplicates. */
export function loadBalancerCell(ingress: readonly { ip?: string; hostname?: string }[] | undefined): string {
  const addresses = (ingress ?? []).map(i => i.ip || i.hostname || '').filter(a => a !== '');
  return [...new Set(addresses)].sort().join(',');
}
