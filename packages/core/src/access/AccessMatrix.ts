/** The operations as pages of documents show them: who may, and where each is found. */
import { type Operation, isAbsent, scopesText } from "./Operation.ts"

const whoMay = ({ app, everyPlan, only, role, scopes }: Operation): ReadonlyArray<string> => [
  (scopesText(scopes) || "any credential") + (everyPlan ? ", on every plan" : ""),
  only === "automation" ? "none" : `${role}${only === "session" ? ", signed in" : ""}`,
  only === undefined ? app : "none"
]

const askedAgain = { read: "reads", inherent: "has the same result", key: "with an idempotency key" } as const

const columns = ["operation", "request", "scopes", "role", "apps", "asked again", "tool", "command"]

/**
 * A table for each noun, in Markdown. `requestOf` says what is sent for an operation, such as `GET /v1/notes`; programs
 * give their own operations and nouns.
 */
export const accessMatrix = (
  operations: ReadonlyArray<Operation>,
  nouns: Readonly<Record<string, string>>,
  requestOf: (id: string) => string | undefined
): string =>
  Object.entries(nouns)
    .map(([noun, text]) => {
      const rows = operations
        .filter((operation) => operation.noun === noun)
        .map((operation) => {
          const request = requestOf(operation.id)
          return [
            operation.id,
            request === undefined ? "" : `\`${request}\``,
            ...whoMay(operation),
            askedAgain[operation.idempotency],
            isAbsent(operation.tool) ? "" : `\`${operation.tool.name}\``,
            isAbsent(operation.command) ? "" : `\`${operation.command}\``
          ]
        })
      const lines = [columns, columns.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`)
      return `## ${noun}\n\n${text}\n\n${lines.join("\n")}`
    })
    .join("\n\n")
