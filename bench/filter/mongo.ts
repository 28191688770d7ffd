/** The filter as a MongoDB query, on the three libraries that ask such queries of objects. */
import { guard } from "@ucast/mongo2js"
import { Query } from "mingo"
import sift from "sift"
import { type PeerRow, selecting } from "./Selected.ts"
import { categories, purchase, rotated, rotations, since } from "./tree.ts"

/** Case does not matter to text, which only patterns can say here. */
const parts = [
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

const queries = rotations.map((by) => ({ $and: [...rotated<object>(parts, by)] }))

export const ucast = selecting(queries.map((query) => guard<PeerRow>(query)))

export const sifting = selecting(
  // Its types say that the module is what it exports as default; it is both.
  // oxlint-disable-next-line import/no-named-as-default-member -- the same function under either name
  queries.map((query): ((row: PeerRow) => boolean) => sift.default<PeerRow>(query))
)

export const mingo = selecting(
  queries.map((query) => {
    const asked = new Query(query)
    return (row: PeerRow): boolean => asked.test(row)
  })
)
