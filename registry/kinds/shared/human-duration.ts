const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/** A span as kubectl shows it, coarser the longer it is: `3s`, `2m10s`, `3h5m`, `4d2h`, `2y30d`. Slightly negative spans are 0s. */
// as apimachinery/pkg/util/duration HumanDuration
export function humanDuration(milliseconds: number): string {
  const d = milliseconds;
  const whole = (unit: number): number => Math.trunc(d / unit);
  if (d / second <= -2) return '<invalid>';
  if (d < 0) return '0s';
  if (d < 2 * minute) return `${whole(second)}s`;
  if (d < 10 * minute) return two(whole(minute), 'm', whole(second) % 60, 's');
  if (d < 3 * hour) return `${whole(minute)}m`;
  if (d < 8 * hour) return two(whole(hour), 'h', whole(minute) % 60, 'm');
  if (d < 2 * day) return `${whole(hour)}h`;
  if (d < 8 * day) return two(whole(day), 'd', whole(hour) % 24, 'h');
  if (d < 2 * 365 * day) return `${whole(day)}d`;
  const years = Math.trunc(whole(day) / 365);
  return d < 8 * 365 * day ? two(years, 'y', whole(day) % 365, 'd') : `${years}y`;
}

const two = (major: number, majorUnit: string, minor: number, minorUnit: string): string =>
  `${major}${majorUnit}${minor === 0 ? '' : `${minor}${minorUnit}`}`;
