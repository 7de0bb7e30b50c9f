/** The size of the old generation of the heap, which only a major collection reduces. */
import v8 from 'node:v8';
import vm from 'node:vm';

/** Returns the used bytes of the old generation. */
export function oldSpace(): number {
  return v8.getHeapSpaceStatistics().find(space => space.space_name === 'old_space')?.space_used_size ?? NaN;
}

/** Runs a major collection, which promotes all live objects to the old generation. */
export function collect(): void {
  v8.setFlagsFromString('--expose-gc');
  (vm.runInNewContext('gc') as () => void)();
  v8.setFlagsFromString('--no-expose-gc');
}
