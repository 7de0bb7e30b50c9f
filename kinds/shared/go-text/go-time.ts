/** A time as metav1.Time is written: seconds, UTC. */
export function goTime(time: Date): string {
  return `${time.toISOString().slice(0, 19)}Z`;
}
