/** Messages for Slack, and for what takes the same: blocks of text in which nothing of a record is markup. */
import type { MessageContent } from "./Message.ts"
import { cutLine, oneLine } from "./PlainText.ts"

/** What Slack takes at most: characters of a header and of a text, and blocks. */
const headerLength = 150
const blockLength = 2_900
const mostBlocks = 48

/**
 * Text that stays text. `<`, `>` and `&` are Slack's own; what it makes bold, struck or code by itself is kept apart by a character
 * without width.
 */
const asText = (text: string): string =>
  oneLine(text)
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll(/[*_~`]/g, (character) => `\u200b${character}\u200b`)

const section = ({ heading, rows, text }: MessageContent["sections"][number]): string =>
  [
    ...(heading === undefined ? [] : [`*${asText(heading)}*`]),
    ...(text === undefined ? [] : [asText(text)]),
    ...rows.map(
      ({ label, note, value }) =>
        `${asText(label)}: *${asText(value)}*${note === undefined ? "" : ` _${asText(note)}_`}`
    )
  ].join("\n")

/** Never cut inside of an escape. */
const fitting = (text: string): string =>
  text.length <= blockLength ? text : `${text.slice(0, blockLength).replace(/\n[^\n]*$/u, "")}\n…`

const textBlock = (text: string) => ({ type: "section", text: { type: "mrkdwn", text: fitting(text), verbatim: true } })

/** The body of a request to an incoming webhook. */
export const slackBody = ({ footer, intro, prose, sections, title }: MessageContent) => ({
  // What notifications show.
  text: asText(cutLine(title, headerLength)),
  blocks: [
    { type: "header", text: { type: "plain_text", text: cutLine(title, headerLength), emoji: false } },
    ...[intro, prose].flatMap((text) => (text === undefined ? [] : [textBlock(asText(text))])),
    ...sections
      .slice(0, mostBlocks - 4)
      .map(section)
      .filter((text) => text !== "")
      .map(textBlock),
    { type: "context", elements: [{ type: "plain_text", text: cutLine(footer, headerLength * 2), emoji: false }] }
  ],
  unfurl_links: false,
  unfurl_media: false
})
