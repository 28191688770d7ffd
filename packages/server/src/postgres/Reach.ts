/** Which folders another user of this machine can enter. */
import { constants } from "node:fs"
import { realpath, stat } from "node:fs/promises"
import { sep } from "node:path"

/** Whether somebody who owns nothing on the way can get there: every folder lets others pass. */
export const isReachable = async (path: string): Promise<boolean> => {
  const parts = (await realpath(path)).split(sep)
  for (let n = 1; n <= parts.length; n++) {
    const { mode } = await stat(parts.slice(0, n).join(sep) || sep)
    if ((mode & constants.S_IXOTH) === 0) return false
  }
  return true
}
