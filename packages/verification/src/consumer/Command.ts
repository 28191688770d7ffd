/** Programs that are run to their end, and what they said. */
import { spawn } from "node:child_process"

export interface Ended {
  readonly code: number | null
  readonly text: string
}

export interface Place {
  readonly folder: string
  readonly env?: Readonly<Record<string, string>>
}

/** Longer than anything takes here; what hangs is ended then. */
const longest = 480_000

/** What it wrote on both of its outputs, in their order. */
export const runToEnd = (program: string, args: ReadonlyArray<string>, { env, folder }: Place): Promise<Ended> =>
  new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd: folder,
      env: { ...process.env, ...env },
      stdio: ["ignore", "pipe", "pipe"],
      timeout: longest
    })
    let text = ""
    child.stdout.on("data", (chunk: Buffer) => (text += chunk.toString()))
    child.stderr.on("data", (chunk: Buffer) => (text += chunk.toString()))
    child.on("error", reject)
    child.on("close", (code) => resolve({ code, text }))
  })

/** The same, where anything but success is a failure that shows what was said. */
export const succeed = async (program: string, args: ReadonlyArray<string>, place: Place): Promise<string> => {
  const { code, text } = await runToEnd(program, args, place)
  if (code === 0) return text
  throw new Error(`${[program, ...args].join(" ")} ended with ${code ?? "a signal"}:\n${text}`)
}

const unreachable =
  /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|ENOTCACHED|ERR_SOCKET_TIMEOUT)\b/

/** Installs what the folder's `package.json` names. */
export const install = async (folder: string): Promise<void> => {
  const args = ["install", "--prefer-offline", "--no-audit", "--no-fund", "--loglevel=error"]
  const { code, text } = await runToEnd("npm", args, { folder })
  if (code === 0) return
  const why = unreachable.test(text)
    ? "The npm registry cannot be reached, and the cache of npm lacks something. Connect, or set `registry` in .npmrc " +
      "to one that can be reached; this says nothing about our packages"
    : "The packed packages cannot be installed"
  throw new Error(`${why}:\n${text}`)
}
