/** The thread of a bank that corrects its rows: each message is answered with the files after one more correction. */
import { parentPort, workerData } from "node:worker_threads"
import { generate, type GenerateOptions } from "../generate.ts"
import { corrected, correctedRows } from "./Corrections.ts"
import { statementFiles } from "./StatementFile.ts"

let accounts = generate(workerData as GenerateOptions)
let n = 0
const count = correctedRows(accounts)
parentPort!.on("message", () => {
  accounts = corrected(accounts, n++)
  const files = statementFiles(accounts)
  parentPort!.postMessage(
    { files, count },
    files.map(({ bytes }) => bytes.buffer as ArrayBuffer)
  )
})
