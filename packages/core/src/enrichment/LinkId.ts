/** Ids of what follows from other things (enrichments A5). */
import type { PlannedLink } from "./kinds/SetKind.ts"

const alphabet = "0123456789abcdefghjkmnpqrstvwxyz"

/** 26 characters of base 32 over the first 130 bits of a hash. */
const derivedId = (sha256: (text: string) => string, ...parts: ReadonlyArray<string>): string => {
  let bits = BigInt(`0x${sha256(JSON.stringify(parts)).slice(0, 34)}`) >> 6n
  let text = ""
  for (let n = 0; n < 26; n++) {
    text = alphabet[Number(bits & 31n)]! + text
    bits >>= 5n
  }
  return text
}

/** The same for the same members, in whatever order they are named. */
export const linkId = (
  sha256: (text: string) => string,
  enrichmentId: string,
  { kind, members }: Pick<PlannedLink<unknown>, "kind" | "members">
): string => derivedId(sha256, enrichmentId, kind, ...members.map(({ recordId }) => recordId).toSorted())
