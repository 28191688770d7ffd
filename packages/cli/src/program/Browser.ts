/** Opens an address in the person's browser. That nothing opens is no failure: the address was printed before. */
import { spawn } from "node:child_process"
import * as Effect from "effect/Effect"

/** The command of the platform; `BROWSER` names another one. */
const commandFor = (url: string): readonly [string, ReadonlyArray<string>] => {
  const own = process.env["BROWSER"]
  if (own !== undefined && own !== "") return [own, [url]]
  if (process.platform === "darwin") return ["open", [url]]
  // An ampersand would end the command of Windows' own shell.
  if (process.platform === "win32") return ["rundll32", ["url.dll,FileProtocolHandler", url]]
  return ["xdg-open", [url]]
}

/** Addresses of the web only: what the server sent is not handed to whatever opens another scheme. */
export const openBrowser = (url: string): Effect.Effect<void> =>
  Effect.sync(() => {
    if (!/^https?:\/\//.test(url)) return
    const [command, args] = commandFor(url)
    const child = spawn(command, args, { stdio: "ignore", detached: true })
    child.on("error", () => undefined)
    child.unref()
  })
