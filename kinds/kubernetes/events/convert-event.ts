/** Events of the two groups are the same objects with different field names. */
// as pkg/apis/events/v1 Convert_v1_Event_To_core_Event
import type { KubeObject } from '../../../apimachinery/interface.js';

/** Field name in events.k8s.io -> name in the core group. */
const names: Readonly<Record<string, string>> = {
  regarding: 'involvedObject',
  note: 'message',
  deprecatedSource: 'source',
  deprecatedFirstTimestamp: 'firstTimestamp',
  deprecatedLastTimestamp: 'lastTimestamp',
  deprecatedCount: 'count',
  reportingController: 'reportingComponent',
};
const back = Object.fromEntries(Object.entries(names).map(([name, core]) => [core, name]));

/** `toGroup`: unset if the object is sent to a client of events.k8s.io. */
export function convertEvent(object: KubeObject, toVersion: string, toGroup = 'events.k8s.io'): KubeObject {
  const apiVersion = toGroup === '' ? toVersion : `${toGroup}/${toVersion}`;
  if (object.apiVersion === apiVersion) return object;
  const map = toGroup === '' ? names : back;
  const fields = Object.entries(object).map(([name, value]) => [map[name] ?? name, value]);
  return { ...Object.fromEntries(fields), apiVersion } as KubeObject;
}
