/**
 * Ends PostgreSQL when this process is gone, also after a SIGKILL of its whole process group. A shell in a session of its own
 * reads from a pipe that nobody writes to: it reads the end of the pipe when this process is gone, whatever ended it.
 */
import { spawn } from "node:child_process"
import type { Socket } from "node:net"

/** `$1` is the process of PostgreSQL, `$2` its folder. The number may be another program's by then, so the folder is asked. */
const script = `while read -r line; do :; done
tries=0
while [ "$tries" -lt 10 ] && kill -0 "$1" 2>/dev/null; do
  if [ "$(head -n 1 "$2/postmaster.pid" 2>/dev/null)" = "$1" ]; then kill -INT "$1"; exit; fi
  tries=$((tries + 1)); sleep 1
done`

interface ProcessOptions {
  readonly uid?: number
  readonly gid?: number
  readonly env: Readonly<Record<string, string>>
}

/** Returns how to end the watch, once PostgreSQL has ended. Windows ends children by itself. */
export const endWithServer = (pid: number, folder: string, options: ProcessOptions): (() => void) => {
  if (process.platform === "win32") return () => undefined
  const shell = spawn("/bin/sh", ["-c", script, "millrace-postgres-watch", String(pid), folder], {
    ...options,
    cwd: "/",
    detached: true,
    stdio: ["pipe", "ignore", "ignore"]
  })
  // Without a shell PostgreSQL runs as well, and the next start ends what is left.
  shell.on("error", () => undefined)
  shell.unref()
  const pipe = shell.stdin as Socket | null
  pipe?.on("error", () => undefined)
  pipe?.unref?.()
  return () => void pipe?.destroy()
}
