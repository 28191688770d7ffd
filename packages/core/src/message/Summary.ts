/** Several messages told as one, after a silence. */
import type { MessageContent } from "./Message.ts"

/** Briefs that fit into a title, and into the text; programs get all. */
const titled = 3
const listed = 20

/** Of at least one, oldest first, all of one enrichment. */
export const summaryOf = (contents: ReadonlyArray<MessageContent>): MessageContent => {
  const last = contents[contents.length - 1]!
  const briefs = contents.map(({ brief }) => brief)
  const more = briefs.length - titled
  const rest = briefs.length - listed
  return {
    type: last.type,
    title: `${contents.length} more: ${briefs.slice(0, titled).join(", ")}${more > 0 ? ` and ${more} others` : ""}`,
    brief: `${contents.length} more`,
    intro: "These came while the alert was silent, oldest first.",
    sections: [
      ...contents.slice(0, listed).map(({ brief, sections }) => ({
        heading: brief,
        rows: sections.flatMap(({ rows }) => rows)
      })),
      ...(rest > 0 ? [{ text: `And ${rest} others: ${briefs.slice(listed).join(", ")}`, rows: [] }] : [])
    ],
    footer: last.footer,
    data: { ...last.data, count: contents.length, collected: contents.map(({ data, type }) => ({ type, data })) }
  }
}
