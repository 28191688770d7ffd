/** Reads uploaded statement files; the format is told by content (decisions 7.1). */
import { type Statement, StatementFault, type StatementOptions, StatementReader } from "@millrace/core/upload"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { readCsv } from "./CsvReader.ts"
import { binaryFormat, isOfx, otherTextFormat } from "./FormatDetection.ts"
import { readOfx } from "./OfxReader.ts"
import { decodeText, headText } from "./TextDecoding.ts"

const headLength = 16_384

/** A whole statement, or the first thing that is wrong with the file and where. Never throws. */
export const readStatement = (
  bytes: Uint8Array,
  options: StatementOptions
): Result.Result<Statement, StatementFault> => {
  if (bytes.length === 0) return Result.fail(new StatementFault({ message: "the file is empty", line: 1 }))
  const binary = binaryFormat(headText(bytes, 8))
  if (binary !== undefined) {
    return Result.fail(
      new StatementFault({ message: `the file is ${binary}, not a bank statement in OFX or CSV`, line: 1 })
    )
  }
  const head = decodeText(bytes.subarray(0, headLength), undefined).text
  if (isOfx(head)) return readOfx(bytes, options)
  const other = otherTextFormat(head)
  if (other !== undefined) {
    return Result.fail(
      new StatementFault({ message: `the file is ${other}, not a bank statement in OFX or CSV`, line: 1 })
    )
  }
  return readCsv(bytes, options)
}

/** The reader of OFX, QFX and CSV files. */
export const layer: Layer.Layer<StatementReader> = Layer.succeed(StatementReader)({
  read: Effect.fn("StatementReader.read")((bytes: Uint8Array, options: StatementOptions) =>
    Effect.fromResult(readStatement(bytes, options))
  )
})
