import type { Identity } from '../../../apimachinery/identity.js';
import type { UserInfo } from '../../../api/kubernetes/authentication.js';

/** Returns a user in the API's form. */
export const userInfo = ({ name, uid, groups, extra }: Identity): UserInfo => ({
  ...(name !== '' && { username: name }),
  ...(uid !== undefined && uid !== '' && { uid }),
  ...(groups.length > 0 && { groups: [...groups] }),
  ...(extra !== undefined &&
    Object.keys(extra).length > 0 && {
      extra: Object.fromEntries(Object.entries(extra).map(([key, values]) => [key, [...values]])),
    }),
});
