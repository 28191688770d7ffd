/** Requests about records. */
import type { RequestsOf } from "../Request.ts"

export const records: RequestsOf = (scene) => ({
  listFeedRecords: [
    { title: "lists what became of records", query: "limit=2" },
    { title: "narrows to a record", query: `recordId=${scene.params["record_id"]}` },
    { title: "narrows to a run and a state", query: `jobId=${scene.params["job_id"]}&state=done&limit=1` },
    { title: "narrows to what failed", query: "state=dead" }
  ],
  redeliverFeedRecords: [
    { title: "sends records again", json: { recordIds: [scene.params["record_id"]] } },
    { title: "sends what failed again", json: { state: "failed" } },
    { title: "needs to be told which", json: {} },
    {
      title: "sends those of the records that failed",
      json: { recordIds: [scene.params["record_id"]], state: "failed" }
    },
    { title: "skips a record that nothing has", json: { recordIds: ["txn_00000000000000000000000000"] } },
    { title: "refuses a viewer", json: { state: "failed" }, as: "person-viewer" }
  ]
})
