import { Composer } from './composer.js';
import type { ReadLimits, ReadYaml } from './interface.js';
import { YamlError } from './yaml-error.js';

/** differs: Go's reader accepts 10000 levels; code that visits a value later is recursive. */
const defaultLimits: ReadLimits = { depth: 300, nodes: 2_000_000, aliasText: 8 * 1024 * 1024 };

const unreadable = /[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;

/**
 * Reads the first document of a text as a JSON value. Takes time linear in the length of the text, and stops at the end of the document or the
 * first error. Never throws because of the text.
 */
export function readYaml(text: string, limits: Partial<ReadLimits> = {}): ReadYaml {
  if (unreadable.test(text)) return { type: 'error', text: 'yaml: control characters are not allowed' };
  const composer = new Composer(text.startsWith('\ufeff') ? text.slice(1) : text, { ...defaultLimits, ...limits });
  try {
    return { type: 'value', value: composer.document(), repeated: composer.repeated };
  } catch (error) {
    if (error instanceof YamlError) return { type: 'error', text: error.message };
    throw error;
  }
}
