/** Names of merchants: three words each, many of which share their first words. */

const first = [
  "BLUE",
  "GOLDEN",
  "CITY",
  "ROYAL",
  "NORTH",
  "RIVER",
  "GREEN",
  "CENTRAL",
  "SILVER",
  "ALPINE",
  "URBAN",
  "FRESH",
  "OLD",
  "GRAND",
  "HARBOR",
  "SUNNY",
  "PRIME",
  "EAST",
  "LUCKY",
  "IRON",
  "CEDAR",
  "MAPLE",
  "STONE",
  "COPPER",
  "VELVET",
  "CRYSTAL",
  "SWIFT",
  "NOBLE",
  "WILD",
  "AMBER"
] as const

const second = [
  "BOTTLE",
  "DRAGON",
  "GARDEN",
  "LION",
  "STAR",
  "VALLEY",
  "LEAF",
  "STATION",
  "SPOON",
  "PEAK",
  "LOFT",
  "FIELDS",
  "TOWN",
  "PLAZA",
  "LIGHT",
  "SIDE",
  "CHOICE",
  "END",
  "CLOVER",
  "HORSE",
  "GROVE",
  "LANE",
  "BRIDGE",
  "KETTLE",
  "ROPE",
  "LAKE",
  "FOX",
  "OAK",
  "ROSE",
  "BEE"
] as const

const third = [
  "COFFEE",
  "MARKET",
  "PHARMACY",
  "HOTEL",
  "FUEL",
  "BAKERY",
  "BOOKS",
  "INSURANCE",
  "AIRLINES",
  "ENERGY",
  "CINEMA",
  "REPAIRS"
] as const

/** How many names there are. */
export const merchants = first.length * second.length * third.length

/** Of these, only the first so many occur in generated transactions. */
export const customary = 4_000

/** The `n`th name. Neighbours have no word in common: the factor shares no divisor with the number of names. */
export const merchant = (n: number): string => {
  const at = (n * 7_919) % merchants
  const rest = Math.floor(at / third.length)
  return `${first[Math.floor(rest / second.length)]} ${second[rest % second.length]} ${third[at % third.length]}`
}
