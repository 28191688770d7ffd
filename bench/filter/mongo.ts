/** The filter as a MongoDB query, on the three libraries that ask such queries of objects. */
import { guard } from "@ucast/mongo2js"
import { Query } from "mingo"
import sift from "sift"
import type { PeerRow, Select } from "./Selected.ts"
import { categories, purchase, since } from "./tree.ts"

/** Case does not matter to text, which only patterns can say here. */
const query = {
  $and: [
    { type: { $regex: /^debit$/i } },
    {
      $or: [
        { category: { $regex: new RegExp(`^(?:${categories.join("|")})$`, "i") } },
        { description: { $regex: /coffee/i } }
      ]
    },
    { amount: { $gte: -110, $lte: -5 } },
    { date: { $gte: since } },
    { $or: [{ merchantName: { $eq: null } }, { description: { $regex: new RegExp(purchase) } }] },
    { currency: { $not: { $regex: /^usd$/i } } }
  ]
}

const asked = guard<PeerRow>(query)

export const ucast: Select<PeerRow> = (rows) => {
  const selected: Array<number> = []
  for (let at = 0; at < rows.length; at++) if (asked(rows[at]!)) selected.push(at)
  return selected
}

// Its types say that the module is what it exports as default; it is both.
// oxlint-disable-next-line import/no-named-as-default-member -- the same function under either name
const sifted = sift.default<PeerRow>(query)

export const sifting: Select<PeerRow> = (rows) => {
  const selected: Array<number> = []
  for (let at = 0; at < rows.length; at++) if (sifted(rows[at]!)) selected.push(at)
  return selected
}

const queried = new Query(query)

export const mingo: Select<PeerRow> = (rows) => {
  const selected: Array<number> = []
  for (let at = 0; at < rows.length; at++) if (queried.test(rows[at]!)) selected.push(at)
  return selected
}
