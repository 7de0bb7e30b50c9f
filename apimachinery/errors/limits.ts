/**
 * Bounds of what an answer tells about a bad request.
 * differs: upstream repeats all of it, so that an answer can be a hundred times as long as its request.
 */

/** Characters of the faults of one object: rules stop looking once they are used up. */
export const maxFaultCharacters = 64 * 1024;
/** Faults of one object that are told. */
export const maxFaults = 100;
/** Characters of one bad value. */
export const maxValueLength = 4096;
/** Characters of a path or of a name. */
export const maxNameLength = 1024;
/** Characters of a message. */
export const maxMessageLength = 96 * 1024;

/** The text itself, or its beginning and how long it is. */
export function shortened(text: string, most = maxValueLength): string {
  return text.length <= most ? text : `${text.slice(0, most)}... (${text.length} characters)`;
}

interface Room {
  left: number;
}

const memberCost = 4;

/** Whether the JSON of a value needs more than the room. Looks at no more of it than that. */
function needsMore(value: unknown, room: Room): boolean {
  room.left -= typeof value === 'string' ? value.length + memberCost : memberCost;
  if (room.left < 0) return true;
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.some(item => needsMore(item, room));
  for (const name in value) {
    room.left -= name.length;
    if (needsMore((value as Record<string, unknown>)[name], room)) return true;
  }
  return false;
}

/** A copy of as much of the value as there is room for. */
function beginning(value: unknown, room: Room): unknown {
  room.left -= memberCost;
  if (typeof value === 'string') {
    const text = shortened(value, Math.max(0, room.left));
    room.left -= value.length;
    return text;
  }
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const items: unknown[] = [];
    for (const item of value) {
      if (room.left <= 0) return [...items, '...'];
      items.push(beginning(item, room));
    }
    return items;
  }
  const members: [string, unknown][] = [];
  for (const name in value) {
    if (room.left <= 0) {
      members.push(['...', '...']);
      break;
    }
    room.left -= name.length;
    members.push([shortened(name, maxNameLength), beginning((value as Record<string, unknown>)[name], room)]);
  }
  return Object.fromEntries(members);
}

/** The value itself, or a copy of its beginning, with `...` where the rest was. */
export function shortenedValue(value: unknown, most = maxValueLength): unknown {
  return needsMore(value, { left: most }) ? beginning(value, { left: most }) : value;
}

/** Whether there are so many faults that a rule may stop: not all of them are told. */
export const isEnough = (faults: readonly unknown[]): boolean => faults.length > 2 * maxFaults;
