/**
 * Comma-separated text by the rules of the csv destination (decisions 7.4): text that a spreadsheet
 * would take for a formula gets an apostrophe in front, numbers are bare. Lines end as the caller says:
 * LF for programs and files here, CRLF as RFC 4180 has it.
 */
import { quote, spreadsheetText } from "@millrace/core/text"
import { textOf } from "./Cell.ts"
import { isNumber, type Json, type JsonObject } from "./ExactJson.ts"
import { valueOf } from "./Fields.ts"

const cellOf = (value: Json | undefined): string =>
  isNumber(value) || typeof value === "boolean" ? textOf(value) : quote(spreadsheetText(textOf(value)))

// A lone empty cell would be an empty line, which readers skip.
const line = (cells: ReadonlyArray<string>): string => cells.join(",") || '""'

export type LineEnd = "\n" | "\r\n"

export const write = (records: ReadonlyArray<JsonObject>, names: ReadonlyArray<string>, lineEnd: LineEnd): string =>
  names.length === 0
    ? ""
    : [line(names.map(cellOf)), ...records.map((record) => line(names.map((name) => cellOf(valueOf(record, name)))))]
        .map((text) => text + lineEnd)
        .join("")
