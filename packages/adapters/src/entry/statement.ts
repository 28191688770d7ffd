/** Readers of statement files, in this thread or in others. */
export { readCamt, scanCamt } from "../statement/CamtReader.ts"
export { readCsv, scanCsv } from "../statement/CsvReader.ts"
export { readMt940, scanMt940 } from "../statement/Mt940Reader.ts"
export { readOfx, scanOfx } from "../statement/OfxReader.ts"
export { readQif, scanQif } from "../statement/QifReader.ts"
export { readStatement } from "../statement/StatementReader.ts"
export * as StatementThreads from "../statement/thread/StatementThreads.ts"
