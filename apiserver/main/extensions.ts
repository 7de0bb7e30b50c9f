import { pathNotFound } from '../../openapi/meta/status.js';
import type { Connect, Delegate } from '../interface.js';
import type { ServerConfig } from './config.js';
import type { RunningPart } from './parts.js';

/** What serves requests besides our own handlers: it grows while parts start. */
export interface Extensions {
  readonly delegates: readonly Delegate[];
  readonly connect: Connect;
  add(part: RunningPart): void;
}

export function extensionsOf(config: ServerConfig): Extensions {
  const delegates = [...(config.delegates ?? [])];
  const connects = new Map<string, Connect>();
  return {
    delegates,
    async connect(request) {
      const { plural, group } = request.definition;
      const connect = connects.get(`${plural}.${group}/${request.subresource}`) ?? config.connect;
      if (!connect) throw pathNotFound();
      await connect(request);
    },
    add(part) {
      delegates.push(...(part.delegates ?? []));
      for (const [name, connect] of Object.entries(part.connects ?? {})) connects.set(name, connect);
    },
  };
}
