import type { Trial } from "../Trial.ts"

export const trial: Trial = {
  type: "dedupe",
  good: [{}, { exactWindowDays: 5, changedWindowDays: 5, crossSource: "suggest", removeAfterMissing: 0 }],
  refused: [
    [{ exactWindowDays: 5 }, "changedWindowDays"],
    [{ exactWindowDays: 46 }, "exactWindowDays"],
    [{ keyFields: ["merchantName"] }, "keyFields"],
    [{ crossSource: "maybe" }, "crossSource"],
    [{ reviewMargin: -1 }, "reviewMargin"]
  ]
}
