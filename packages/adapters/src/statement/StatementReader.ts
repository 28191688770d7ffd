/** Reads uploaded statement files; the format is known by content (decisions 7.1). */
import { type Statement, StatementFault, type StatementOptions, StatementReader } from "@millrace/core/upload"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { readCamt } from "./CamtReader.ts"
import { readCsv } from "./CsvReader.ts"
import { binaryFormat, isOfx, textFormat } from "./FormatDetection.ts"
import { readMt940 } from "./Mt940Reader.ts"
import { readOfx } from "./OfxReader.ts"
import { readQif } from "./QifReader.ts"
import { decodeText, headText } from "./TextDecoding.ts"

const headLength = 16_384

const formats = "OFX, QFX, CAMT.052 to 054, MT940, MT942, QIF and CSV are read"

/** A whole statement, or the first thing that is wrong with the file and where. Never throws. */
export const readStatement = (
  bytes: Uint8Array,
  options: StatementOptions
): Result.Result<Statement, StatementFault> => {
  if (bytes.length === 0) return Result.fail(new StatementFault({ message: "the file is empty", line: 1 }))
  const binary = binaryFormat(headText(bytes, 8))
  if (binary !== undefined) {
    return Result.fail(
      new StatementFault({ message: `the file is ${binary}, not a bank statement: ${formats}`, line: 1 })
    )
  }
  const head = decodeText(bytes.subarray(0, headLength), undefined).text
  if (isOfx(head)) return readOfx(bytes, options)
  const format = textFormat(head)
  switch (format) {
    case undefined:
      return readCsv(bytes, options)
    case "camt":
      return readCamt(bytes, options)
    case "mt940":
      return readMt940(bytes, options)
    case "qif":
      return readQif(bytes, options)
    default: {
      const message = `the file is ${format.other}, not a bank statement: ${formats}`
      return Result.fail(new StatementFault({ message, line: 1 }))
    }
  }
}

/** The reader of OFX, QFX, CAMT, MT940, MT942, QIF and CSV files. */
export const layer: Layer.Layer<StatementReader> = Layer.succeed(StatementReader)({
  read: Effect.fn("StatementReader.read")((bytes: Uint8Array, options: StatementOptions) =>
    Effect.fromResult(readStatement(bytes, options))
  )
})
