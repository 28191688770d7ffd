import { exampleIds, exampleTime } from "../../operation/Examples.ts"

export const uploadExample = {
  id: exampleIds.upload,
  feedId: exampleIds.feed,
  fileName: "february.ofx",
  contentType: "application/x-ofx",
  size: 18_204,
  sha256: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
  status: "processed",
  jobId: exampleIds.job,
  error: null,
  format: "ofx",
  statements: [
    {
      account: "****1234",
      accountId: exampleIds.account,
      currency: "EUR",
      from: "2026-02-01",
      to: "2026-02-28",
      openingBalance: 1200,
      closingBalance: 1842.17,
      rows: 41,
      difference: 0
    }
  ],
  assumed: {},
  warnings: [],
  fileRemovedAt: null,
  createdAt: exampleTime
}
