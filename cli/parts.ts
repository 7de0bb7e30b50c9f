/** What `flagship up` runs on top of the API. */
import type { Part } from '../apiserver/main/parts.js';

export interface PartOptions {
  /** Absolute: where a part may keep what it needs. */
  readonly dataDirectory: string;
  /** Whether `--controllers` turns a controller on. */
  readonly enabled: (controller: string) => boolean;
  readonly members: number;
}

export interface PartDefinition {
  readonly name: string;
  /** The names that `--controllers` knows; none for parts that are no controllers. */
  readonly controllers: readonly string[];
  /** Undefined: the options leave nothing of it. Loads the part's code only when it is wanted. */
  make(options: PartOptions): Promise<Part | undefined>;
}

/** In the order of their start. */
export const partDefinitions: readonly PartDefinition[] = [];

/** The parts that the options ask for, in order. */
export async function partsOf(options: PartOptions): Promise<readonly Part[]> {
  const made: Part[] = [];
  for (const definition of partDefinitions) {
    const part = await definition.make(options);
    if (part) made.push(part);
  }
  return made;
}
