/** Which format a file has, told by its content; the file name never counts. */

/** What else people upload by mistake, told by the first bytes. */
const signatures: ReadonlyArray<readonly [prefix: string, name: string]> = [
  ["%PDF", "a PDF document"],
  ["PK\u0003\u0004", "a ZIP archive or an Excel workbook"],
  ["\u00d0\u00cf\u0011\u00e0", "an old Excel workbook"],
  ["\u001f\u008b", "a gzip archive"],
  ["\u0089PNG", "an image"],
  ["\u00ff\u00d8\u00ff", "an image"],
  ["{\\rtf", "a rich text document"]
]

/** Name of a binary format that the first bytes show. */
export const binaryFormat = (head: string): string | undefined =>
  signatures.find(([prefix]) => head.startsWith(prefix))?.[1]

const ofxHeader = /^[\s\ufeff]*OFXHEADER\s*:/i
const ofxInstruction = /<\?OFX\s/i
const ofxRoot = /<OFX(?:\s[^<>]*)?>\s*(?:<|$)/i

/** `text` is the beginning of the file, some thousand characters. */
export const isOfx = (text: string): boolean => ofxHeader.test(text) || ofxInstruction.test(text) || ofxRoot.test(text)

const qif = /^!(?:Type|Account|Option|Clear)\b/i
const qifRecords = /^[DTPMNCLASE$][^\r\n]{0,200}(?:\r\n|\r|\n)(?:[!DTPMNCLASE$^][^\r\n]{0,200}(?:\r\n|\r|\n)){1,20}\^/
const camtElements = /<(?:[A-Za-z0-9]{1,20}:)?(?:BkToCstmrStmt|BkToCstmrAcctRpt|BkToCstmrDbtCdtNtfctn)(?:V\d\d)?[\s>/]/
const camtNamespace = /camt\.05[234]/
const ofc = /(?:^|\n)\s{0,20}<OFC>\s*(?:<|$)/i
const mt940 =
  /^(?:\{1:|:(?:20|25P?|28C?|60[FM]|61|62[FM]|64|86|940|942|13D|34F):)|(?:^|\n):20:[^\n]{0,80}\r?\n:(?:21|25P?|28C?):|\r:25P?:/

/** A format of lines or XML that is read, or the name of one that is not. */
export type TextFormat = "camt" | "mt940" | "qif" | { readonly other: string } | undefined

/** Tells formats of text that no table is. */
export const textFormat = (text: string): TextFormat => {
  // Some banks put a control character in front of a message.
  // oxlint-disable-next-line no-control-regex -- they are what is looked for
  const start = text.slice(0, 8_000).replace(/^[\s\ufeff\u0001-\u001f]+/, "")
  if (/^%PDF|\n%PDF-/.test(start)) return { other: "a PDF document" }
  if (ofc.test(start)) return { other: "an OFC file, the forerunner of OFX: export it as OFX or CSV" }
  if (/^<!doctype html|^<html/i.test(start)) return { other: "a web page" }
  if (/^(?:<\?xml|<!DOCTYPE\s|<!--|<[A-Za-z][\w:.-]{0,60}[\s>])/.test(start)) {
    return camtNamespace.test(start) || camtElements.test(start) ? "camt" : { other: "an XML document" }
  }
  if (qif.test(start) || qifRecords.test(start)) return "qif"
  if (mt940.test(start) || /\n:20:/.test(start.slice(0, 2_000))) return "mt940"
  if (/^[[{]\s*["{[]/.test(start)) return { other: "a JSON document" }
  return undefined
}
