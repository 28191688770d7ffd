/** Merchants that Millrace knows: real ones, with the texts that banks show for them (enrichments C3). */
import { merchantKey, readText } from "../text/TextKey.ts"
import { foodMerchants } from "./FoodMerchants.ts"
import { serviceMerchants } from "./ServiceMerchants.ts"
import { shopMerchants } from "./ShopMerchants.ts"

export interface Merchant {
  readonly name: string
  /** A code of `categories`. */
  readonly category: string
  /** ISO 3166, in small letters: where it is known best. */
  readonly country: string
  /** Text keys by which it is known, the plainest first. */
  readonly keys: ReadonlyArray<string>
  /** Whether its name is a common word: text that goes on behind it is somebody else's. */
  readonly isWord: boolean
}

/** Names that are words of everyday language as well. */
export const everydayWords: ReadonlySet<string> = new Set(
  (
    "orange delta united admiral direct saturn action marathon mercury meridian progressive dreams habitat coral camper mango " +
    "coach article notion spirit frontier condor indigo tango spark belong genesis contact origin edison helen hinge " +
    "bumble wish lime bird bolt tier miles turo plus base play star three sky jet gulf bell shaw cox fido free sosh volt " +
    "joker globus norma real metro galeria printemps relay quick paul leon nero prime peacock regal pandora patreon ring " +
    "medium discord steam strava swiss iberia mercure ibis jules celio promod gamma praxis action hermes verbund " +
    "travelers prudential lemonade oscar hartford clark zenith anthem spiegel zeit times coral game stadium lotto " +
    "polarstern luminus eden nicolas picard cora match dia continente albert centra premier savers michaels ross wise zip " +
    "marshalls burlington coast citi lumen vista salt sunrise magenta ice tide optimum spectrum visible reliant entergy " +
    "ola grab dott curb metra bird calm canva wawa vans costa subway chili drybar equinox"
  ).split(" ")
)

/** The key of an alias; `""` where nothing of it is left but a card processor that the alias is not. */
const keyOf = (alias: string): string => {
  const { processor, textKey } = readText(alias)
  return processor !== "" && textKey !== processor ? "" : textKey
}

const read = (text: string): ReadonlyArray<Merchant> => {
  const found: Array<Merchant> = []
  let category = ""
  for (const line of text.trim().split("\n")) {
    const colon = line.indexOf(": ")
    if (colon < 0) {
      category = line
      continue
    }
    const country = line.slice(0, colon)
    for (const entry of line.slice(colon + 2).split(", ")) {
      const isWord = entry.startsWith("!")
      const [name = "", aliases = ""] = (isWord ? entry.slice(1) : entry).split("=")
      // What is cut off of a sign is another name.
      const all = [...(/[+]$/u.test(name) ? [] : [name]), ...aliases.split("/").filter((one) => !/[+]$/u.test(one))]
      const keys = [...new Set(all.flatMap((one) => [keyOf(one), merchantKey(keyOf(one))]))].filter((key) => key !== "")
      if (keys.length > 0) found.push({ name, category, country, keys, isWord })
    }
  }
  return found
}

/** All of them. A text key that two have belongs to the first. */
export const merchants: ReadonlyArray<Merchant> = [
  ...read(foodMerchants),
  ...read(shopMerchants),
  ...read(serviceMerchants)
]
