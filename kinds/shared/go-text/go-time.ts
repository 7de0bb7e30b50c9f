/** Formats a time like metav1.Time: in seconds, UTC. */
export function goTime(time: Date): string {
  return `${time.toISOString().slice(0, 19)}Z`;
}
