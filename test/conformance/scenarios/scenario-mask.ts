/** Replaces values that differ between runs of a control plane and its members by their name. */

const dropped = new Set(['managedFields', 'selfLink']);
const counted = new Set([
  'generation',
  'observedGeneration',
  'resourceTemplateGeneration',
  'schedulerObservedGeneration',
  'lastScheduledGeneration',
]);
const allocated = new Set([
  'clusterIP',
  'clusterIPs',
  'nodePort',
  'healthCheckNodePort',
  'podIP',
  'podIPs',
  'hostIP',
  'hostIPs',
]);

const uuids = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const times = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g;

export const maskText = (text: string): string => text.replace(uuids, '<uuid>').replace(times, '<time>');

function maskString(text: string): unknown {
  if (!/^[{[]/.test(text)) return maskText(text);
  try {
    return { '<json>': maskScenario(JSON.parse(text)) };
  } catch {
    return maskText(text);
  }
}

function maskMember(key: string, value: unknown): unknown {
  if (key === 'resourceVersion' && typeof value === 'string') return '<version>';
  if (counted.has(key) && typeof value === 'number') return '<n>';
  if (allocated.has(key) && value !== 'None' && (value as unknown[] | null)?.[0] !== 'None') return '<allocated>';
  return maskScenario(value, key);
}

/** Returns the value masked, with sorted keys, conditions by type, and JSON strings parsed. */
export function maskScenario(value: unknown, key = ''): unknown {
  if (typeof value === 'string') return maskString(value);
  if (Array.isArray(value)) {
    const items = value.map(item => maskScenario(item)) as ({ type?: unknown } | null)[];
    return key === 'conditions' ? items.sort((a, b) => String(a?.type).localeCompare(String(b?.type))) : items;
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name, member]) => !dropped.has(name) && !(name === 'creationTimestamp' && member === null))
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, member]) => [name, maskMember(name, member)]),
  );
}
