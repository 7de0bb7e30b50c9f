/** What objects that have grown old take, which only a full collection gives back. */
import v8 from 'node:v8';
import vm from 'node:vm';

/** Bytes. */
export function oldSpace(): number {
  return v8.getHeapSpaceStatistics().find(space => space.space_name === 'old_space')?.space_used_size ?? NaN;
}

/** A full collection: whatever is in use has grown old after it. */
export function collect(): void {
  v8.setFlagsFromString('--expose-gc');
  (vm.runInNewContext('gc') as () => void)();
  v8.setFlagsFromString('--no-expose-gc');
}
