/** Messages as HTML for mail: tables and styles in place, as mail programs have it, readable in the dark and on a telephone. */
import type { MessageContent } from "./Message.ts"
import { oneLine } from "./PlainText.ts"

const escapes: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}

/** Text that stays text, in elements and in attributes. */
const escaped = (text: string): string => oneLine(text).replaceAll(/[&<>"']/g, (character) => escapes[character]!)

const font = "font-family:-apple-system,BlinkMacSystemFont,'Segoe UI',Roboto,Helvetica,Arial,sans-serif"

const row = ({ label, note, value }: MessageContent["sections"][number]["rows"][number], isFirst: boolean): string => {
  const line = isFirst ? "" : "border-top:1px solid #e7e9ee;"
  const small =
    note === undefined ? "" : `<div class="muted" style="color:#5c6575;font-size:13px">${escaped(note)}</div>`
  return `<tr><td class="line" style="${line}padding:9px 16px 9px 0;width:45%;color:#3c4454;vertical-align:top;word-break:break-word">${escaped(
    label
  )}${small}</td><td class="line" style="${line}padding:9px 0;text-align:right;vertical-align:top;font-variant-numeric:tabular-nums;font-weight:600;word-break:break-word">${escaped(
    value
  )}</td></tr>`
}

const section = ({ heading, rows, text }: MessageContent["sections"][number]): string =>
  [
    heading === undefined
      ? ""
      : `<h2 style="margin:28px 0 4px;font-size:16px;line-height:1.35;font-weight:600">${escaped(heading)}</h2>`,
    text === undefined ? "" : `<p class="muted" style="margin:4px 0 8px;color:#3c4454">${escaped(text)}</p>`,
    rows.length === 0
      ? ""
      : `<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="border-collapse:collapse;margin:${
          heading === undefined && text === undefined ? "20px" : "0"
        } 0 0">${rows.map((one, at) => row(one, at === 0)).join("")}</table>`
  ].join("")

const dark =
  "@media (prefers-color-scheme:dark){.page{background:#14161b!important}.card{background:#1e2128!important;border-color:#323743!important;color:#eceef2!important}.card td,.card p,.muted{color:#c3c8d2!important}.line{border-color:#323743!important}}"

/** A whole document. `language` is that of the texts, such as `en`. */
export const htmlText = ({ brief, footer, intro, prose, sections, title }: MessageContent, language = "en"): string =>
  `<!doctype html><html lang="${escaped(language)}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"><title>${escaped(
    title
  )}</title><style>${dark}</style></head><body class="page" style="margin:0;padding:0;background:#f3f4f7"><div style="display:none;max-height:0;overflow:hidden">${escaped(
    intro ?? brief
  )}</div><table role="presentation" width="100%" cellpadding="0" cellspacing="0"><tr><td align="center" style="padding:24px 12px"><table role="presentation" class="card" width="100%" cellpadding="0" cellspacing="0" style="max-width:560px;background:#ffffff;border:1px solid #dfe2e8;border-radius:10px;${font};font-size:15px;line-height:1.5;color:#161a22;text-align:left"><tr><td style="padding:28px 28px 24px"><h1 style="margin:0;font-size:20px;line-height:1.3;font-weight:650">${escaped(
    title
  )}</h1>${intro === undefined ? "" : `<p style="margin:8px 0 0;color:#3c4454">${escaped(intro)}</p>`}${
    prose === undefined ? "" : `<p style="margin:12px 0 0;color:#3c4454">${escaped(prose)}</p>`
  }${sections
    .map(section)
    .join(
      ""
    )}<p class="muted line" style="margin:28px 0 0;padding-top:14px;border-top:1px solid #e7e9ee;color:#5c6575;font-size:13px">${escaped(
    footer
  )}</p></td></tr></table></td></tr></table></body></html>`
