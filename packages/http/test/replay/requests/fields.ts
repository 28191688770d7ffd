/** Requests about fields. */
import type { RequestsOf } from "../Request.ts"

export const fields: RequestsOf = () => ({
  createField: [
    { title: "adds a field", json: { name: "Price", type: "currency", options: { currency: "EUR" } } },
    {
      title: "adds one with a default",
      json: {
        name: "Kind",
        key: "kind",
        type: "select",
        options: { choices: [{ label: "A" }] },
        description: "x",
        indexed: true
      }
    },
    { title: "needs a name and a type", json: {} },
    { title: "refuses a key that is taken", json: { name: "Other", key: "amount", type: "text" } },
    { title: "refuses a viewer", json: { name: "X", type: "text" }, as: "person-viewer" }
  ],
  updateField: [
    { title: "renames a field", json: { name: "Total", description: "What it costs" } },
    { title: "moves it", json: { position: 0 } },
    { title: "makes it required where rows lack it", json: { required: true } },
    { title: "refuses a version that the table no longer has", json: { name: "Late" }, headers: { "if-match": '"1"' } },
    { title: "gives it another type", json: { type: "text" } }
  ],
  deleteField: [{ title: "removes a field" }, { title: "does not find it again" }]
})
