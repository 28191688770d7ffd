/** Messages as plain text, for mail that is read without pictures, and for whatever has no markup. */
import type { MessageContent } from "./Message.ts"

/** What a line may hold: no line ends and no characters that steer a terminal, a mail header or the direction of reading. */
export const oneLine = (text: string): string =>
  text
    // eslint-disable-next-line no-control-regex
    .replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, " ")
    .replaceAll(/[\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g, "")
    .trim()

/** One line, cut at a code point, with a mark that something is missing. */
export const cutLine = (text: string, most: number): string => {
  const points = [...oneLine(text)]
  return points.length <= most
    ? points.join("")
    : `${points
        .slice(0, most - 1)
        .join("")
        .trimEnd()}…`
}

const rowText = ({ label, note, value }: MessageContent["sections"][number]["rows"][number]): string =>
  `  ${oneLine(label)}: ${oneLine(value)}${note === undefined ? "" : ` (${oneLine(note)})`}`

/** The whole message, in lines. */
export const plainText = ({ footer, intro, prose, sections, title }: MessageContent): string =>
  [
    oneLine(title),
    ...(intro === undefined ? [] : ["", oneLine(intro)]),
    ...(prose === undefined ? [] : ["", oneLine(prose)]),
    ...sections.flatMap(({ heading, rows, text }) => [
      "",
      ...(heading === undefined ? [] : [oneLine(heading)]),
      ...(text === undefined ? [] : [oneLine(text)]),
      ...rows.map(rowText)
    ]),
    "",
    "--",
    oneLine(footer),
    ""
  ].join("\n")

/** Characters of a text message: two of the usual parts, in whichever alphabet. */
const shortLength = 134

/** What a telephone is sent. */
export const shortText = ({ title }: MessageContent): string => cutLine(title, shortLength)
