import { create } from './create.js';
import { get } from './get.js';
import { list } from './list.js';
import { patch } from './patch.js';
import { remove, removeCollection } from './remove.js';
import type { Handlers } from './serve-resource.js';
import { update } from './update.js';
import { watch } from './watch.js';

/** The handlers by verb. */
export const handlers: Handlers = {
  get,
  list,
  watch,
  create,
  update,
  patch,
  delete: remove,
  deletecollection: removeCollection,
};
