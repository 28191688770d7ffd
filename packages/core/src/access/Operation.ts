/** One thing that a caller can ask for, told as data: who may, how often it may be asked, and where it is found. */
import type { Role } from "../workspace/Role.ts"
import type { Scope } from "./Scope.ts"

/** What a credential must hold: one of the scopes, or every one of them. No scopes: any valid credential. */
export type ScopesNeeded = { readonly anyOf: ReadonlyArray<Scope> } | { readonly allOf: ReadonlyArray<Scope> }

export const scopesOf = (needed: ScopesNeeded): ReadonlyArray<Scope> =>
  "allOf" in needed ? needed.allOf : needed.anyOf

/** The scopes in words: "a or b", "a and b"; empty where there are none. */
export const scopesText = (needed: ScopesNeeded): string =>
  "allOf" in needed ? needed.allOf.join(" and ") : needed.anyOf.join(" or ")

/** What operations are about, in the order of documents. The API groups its operations by it. */
export const nouns = {
  identity: "Whose credential this is.",
  workspaces: "The workspace: its name, base currency and time zone.",
  audit: "Who did what in a workspace.",
  banks: "Bank connections and their health.",
  accounts: "Accounts and their data, as the bank tells it.",
  callbacks: "What providers tell by themselves.",
  corrections: "What people decide about which transactions are the same.",
  joins: "What people decide about which accounts are the same.",
  feeds: "What moves data from accounts and files to a destination.",
  uploads: "Statement files of feeds.",
  jobs: "Runs of feeds.",
  records: "What became of each record at a destination.",
  enrichments: "Rules and other kinds that change records on their way to a destination.",
  findings: "What enrichments found, and what people decided about it.",
  insights: "What enrichments worked out: periods of budgets, series of payments, links between records.",
  decisions: "What people decided about what enrichments say.",
  values: "Why values of records are what they are, and people's own word about them.",
  previews: "What enrichments would do, with nothing stored or sent.",
  tables: "Tables that feeds fill and people work in.",
  fields: "Fields of tables.",
  rows: "Rows of tables."
} as const

/** A bundled noun. Collections of programs have their own. */
export type Noun = keyof typeof nouns

/** The hints that the Model Context Protocol has for a tool. */
export interface ToolAnnotations {
  /** Changes nothing. */
  readonly readOnlyHint: boolean
  /** May remove or replace what is there. */
  readonly destructiveHint: boolean
  /** Asked twice with the same arguments, it does no more than asked once. */
  readonly idempotentHint: boolean
  /** Reaches beyond this installation: a bank, a destination, a person. */
  readonly openWorldHint: boolean
}

/** Why an operation is missing from a surface. One sentence. */
export interface Absent {
  readonly absent: string
}

export interface Tool {
  readonly name: string
  readonly annotations: ToolAnnotations
}

/** An entry of the catalogue (specification 4 and 5). */
export interface Operation {
  /** The operationId of the API. */
  readonly id: string
  readonly noun: string
  /** What it does, in a few words, as documents and help show it. */
  readonly summary: string
  readonly scopes: ScopesNeeded
  /** The weakest role of a signed-in person that may do it. Apps need it of the person who consented. */
  readonly role: Role
  /** Which resources an app of a third party reaches: all, those that it made, or none, which refuses it. */
  readonly app: "all" | "own" | "none"
  /** Set where nobody but a signed-in person, or nobody but the run of an automation, may do it. */
  readonly only: "session" | "automation" | undefined
  /** A parameter of the query that only a signed-in person may set to true. */
  readonly sessionParameter?: string | undefined
  /** True where plans without API access answer it too. */
  readonly everyPlan: boolean
  /**
   * What asking again does. `read` changes nothing. `inherent`: asking twice has the same result as asking once. `key`:
   * asking twice does it twice, unless both requests carry the same idempotency key.
   */
  readonly idempotency: "read" | "inherent" | "key"
  /**
   * True where it calls out or waits on the way, so that no transaction may be held over it: then its idempotency key is
   * taken before it, and not together with what it does.
   */
  readonly waits: boolean
  /** True where the record's version is reported (`ETag`) or can be demanded (`If-Match`). */
  readonly versioned: boolean
  readonly body: "none" | "optional" | "required" | "file" | "raw"
  /** `none` where the request proves itself otherwise, such as by the signature of a provider. */
  readonly credential: "required" | "none"
  readonly tool: Tool | Absent
  /** The words of the command line behind `millrace`, or why there are none. */
  readonly command: string | Absent
}

/** What an entry has to say; the rest is what most operations are. */
export type Entry = Pick<Operation, "summary" | "scopes" | "role" | "idempotency" | "tool" | "command"> &
  Partial<Omit<Operation, "id" | "noun">>

/** The entries of a noun of a program's own, each under its id. */
export const ownEntriesOf = <const Id extends string>(
  noun: string,
  entries: Readonly<Record<Id, Entry>>
): Readonly<Record<Id, Operation>> =>
  Object.fromEntries(
    Object.entries<Entry>(entries).map(([id, entry]): [string, Operation] => [
      id,
      {
        id,
        noun,
        app: "all",
        only: undefined,
        everyPlan: false,
        waits: false,
        versioned: false,
        body: "none",
        credential: "required",
        ...entry
      }
    ])
  ) as Record<Id, Operation>

const annotations = (given: Partial<ToolAnnotations>): ToolAnnotations => ({
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: false,
  openWorldHint: false,
  ...given
})

/** A tool that changes nothing. */
export const reads = (name: string): Tool => ({
  name,
  annotations: annotations({ readOnlyHint: true, idempotentHint: true })
})
/** A tool that does it again when it is asked again. */
export const writes = (name: string): Tool => ({ name, annotations: annotations({}) })
/** A tool that may be asked twice. */
export const sets = (name: string): Tool => ({ name, annotations: annotations({ idempotentHint: true }) })
/** A tool that takes something away. Clients ask a person first where they can. */
export const removes = (name: string): Tool => ({
  name,
  annotations: annotations({ destructiveHint: true, idempotentHint: true })
})

export const isAbsent = (surface: Tool | string | Absent): surface is Absent =>
  typeof surface === "object" && "absent" in surface
