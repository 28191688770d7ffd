/** What the server gets when it is started: `npm start -- --backup FILE`. */
import type { BankToConnect } from "./ConnectBank.ts"

export interface Options {
  readonly help: boolean
  readonly version: boolean
  readonly newKey: boolean
  readonly signIn: boolean
  readonly connect?: BankToConnect
  readonly backup?: string
  readonly restore?: string
  /** The kind of provider that is tried with a stand-in of its upstream. */
  readonly provider?: string
}

const flags: Readonly<Record<string, "help" | "version" | "newKey" | "signIn">> = {
  "--help": "help",
  "-h": "help",
  "--version": "version",
  "--new-key": "newKey",
  "--sign-in": "signIn"
}

const files: Readonly<Record<string, "backup" | "restore">> = { "--backup": "backup", "--restore": "restore" }

/** The options, or a sentence that says what is wrong with them. */
export const parseOptions = (given: ReadonlyArray<string>): Options | string => {
  const options: { -readonly [K in keyof Options]: Options[K] } = {
    help: false,
    version: false,
    newKey: false,
    signIn: false
  }
  const left = given.values()
  for (const argument of left) {
    const [name = "", ...rest] = argument.split("=")
    const flag = flags[argument]
    const file = files[name]
    if (flag !== undefined) options[flag] = true
    else if (argument === "--connect") {
      const [instanceId = "", connectionId = ""] = [left.next().value, left.next().value]
      if ([instanceId, connectionId].some((text) => text === "" || text.startsWith("--"))) {
        return "--connect needs a provider, such as acme:main, and the id that it knows the connection by."
      }
      options.connect = { instanceId, connectionId }
    } else if (name === "--provider") {
      const kind = rest.length > 0 ? rest.join("=") : (left.next().value ?? "")
      if (!/^[a-z]{2,40}$/.test(kind)) return "--provider needs the kind of a provider to try, such as plaid."
      options.provider = kind
    } else if (file === undefined) return `There is no option ${argument}. --help lists them.`
    else {
      const path = rest.length > 0 ? rest.join("=") : (left.next().value ?? "")
      if (path === "" || path.startsWith("--")) return `${name} needs the name of a file.`
      options[file] = path
    }
  }
  const asked = (
    [
      ["--connect", options.connect],
      ["--backup", options.backup],
      ["--restore", options.restore],
      ["--provider", options.provider]
    ] as const
  )
    .filter(([, value]) => value !== undefined)
    .map(([name]) => name)
  return asked.length > 1 ? `${asked.join(" and ")} cannot be asked for together.` : options
}
