import { Composer } from './composer.js';
import type { ReadLimits, ReadYaml } from './interface.js';
import { YamlError } from './yaml-error.js';

/** differs: Go's reader takes 10000 levels; what looks at a value afterwards goes down with it on the stack. */
const usual: ReadLimits = { depth: 300, nodes: 2_000_000, aliasText: 8 * 1024 * 1024 };

const unreadable = /[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;

/**
 * The first document of a text as a JSON value. Takes time in proportion to the length of the text, and reads no further than to the end of
 * the document or the first fault. Never throws for what a text says.
 */
export function readYaml(text: string, limits: Partial<ReadLimits> = {}): ReadYaml {
  if (unreadable.test(text)) return { type: 'error', text: 'yaml: control characters are not allowed' };
  const composer = new Composer(text.startsWith('\ufeff') ? text.slice(1) : text, { ...usual, ...limits });
  try {
    return { type: 'value', value: composer.document(), repeated: composer.repeated };
  } catch (error) {
    if (error instanceof YamlError) return { type: 'error', text: error.message };
    throw error;
  }
}
