/** Requests about values. */
import type { RequestsOf } from "../Request.ts"

export const values: RequestsOf = (scene) => ({
  explainRecord: [
    { title: "says why values are what they are" },
    {
      title: "says so of one that was kept back",
      params: {
        record_id: scene.recordOf("NEW GARAGE LTD")
      }
    }
  ],
  setRecordFields: [
    {
      title: "sets and locks values and splits a record",
      json: {
        fields: { category: "Gifts", notes: null },
        lock: ["merchantName"],
        split: { lines: [{ amount: "-1.80", set: { category: "Cash" } }, { set: { category: "Groceries" } }] }
      }
    },
    { title: "sets nothing", json: {} },
    { title: "refuses a field that cannot be set", json: { fields: { id: "x", amount: "many" } } },
    {
      title: "refuses lines that are more than the whole",
      json: { split: { lines: [{ amount: "-100" }, { amount: "-100" }] } }
    },
    { title: "takes the split away", json: { split: null } },
    { title: "refuses a viewer", json: { fields: { category: "x" } }, as: "person-viewer" }
  ],
  clearRecordFields: [
    { title: "gives a value back", query: "names=category" },
    { title: "gives all of them back" },
    { title: "gives nothing back of a field that there is none of", query: "names=nothing" }
  ],
  undoChange: [
    { title: "takes back what a rule said", json: { field: "category" } },
    { title: "takes that back as well", json: { field: "category", redo: true } },
    { title: "needs to be told what", json: {} },
    {
      title: "refuses an enrichment that nothing has",
      json: { field: "category", enrichmentId: "enr_00000000000000000000000000" }
    },
    { title: "refuses a link that nothing has", json: { linkId: "x" } }
  ],
  undoRun: [
    { title: "takes back what enrichments said in a run", json: {} },
    { title: "takes that back as well", json: { redo: true } },
    { title: "refuses a viewer", json: {}, as: "person-viewer" }
  ]
})
