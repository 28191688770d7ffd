/** Statement files: the port of a reader, uploads and their states. */
export { AccountSeal } from "../upload/AccountSeal.ts"
export type { ShownScope } from "../upload/ShownRecords.ts"
export {
  type RefusedRow,
  type Statement,
  type StatementAccount,
  StatementFault,
  statementFormats,
  type StatementOptions,
  StatementReader,
  type StatementRow
} from "../upload/Statement.ts"
export { doneStatuses, Upload, uploadRetryMinutes, uploadStatuses, waitingStatuses } from "../upload/Upload.ts"
export { uploadPageResource } from "../upload/UploadPage.ts"
export { UploadSettings } from "../upload/UploadSettings.ts"
